-- A platform for online courses as a web framework makes its tables: plain names, declared keys, statuses as text.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/elearn.sql
BEGIN;
DROP SCHEMA IF EXISTS elearn CASCADE;
CREATE SCHEMA elearn;
SET LOCAL search_path = elearn;

CREATE TABLE users (
  id integer PRIMARY KEY,
  full_name text NOT NULL,
  email text NOT NULL UNIQUE,
  country text,
  plan text NOT NULL CHECK (plan IN ('free','pro','team')),
  is_active boolean NOT NULL DEFAULT true,
  marketing_opt_in boolean NOT NULL DEFAULT false,
  referred_by integer REFERENCES users(id),
  created_at timestamp NOT NULL,
  last_login_at timestamp
);
CREATE TABLE instructors (
  id integer PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  country text,
  bio text,
  revenue_share numeric(4,2) NOT NULL,
  joined_on date NOT NULL
);
CREATE TABLE courses (
  id integer PRIMARY KEY,
  instructor_id integer NOT NULL REFERENCES instructors(id),
  title text NOT NULL,
  category text NOT NULL,
  level text NOT NULL CHECK (level IN ('beginner','intermediate','advanced')),
  language text NOT NULL,
  price numeric(8,2) NOT NULL,
  status text NOT NULL CHECK (status IN ('draft','published','archived')),
  published_at date
);
CREATE TABLE lessons (
  id integer PRIMARY KEY,
  course_id integer NOT NULL REFERENCES courses(id),
  section_title text NOT NULL,
  position integer NOT NULL,
  title text NOT NULL,
  lesson_type text NOT NULL CHECK (lesson_type IN ('video','article','exercise')),
  duration_minutes integer,
  is_free_preview boolean NOT NULL DEFAULT false,
  UNIQUE (course_id, position)
);
CREATE TABLE coupons (
  id integer PRIMARY KEY,
  code text NOT NULL UNIQUE,
  discount_percent integer NOT NULL,
  valid_from date NOT NULL,
  valid_until date,
  max_redemptions integer
);
CREATE TABLE enrollments (
  id integer PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users(id),
  course_id integer NOT NULL REFERENCES courses(id),
  enrolled_at timestamp NOT NULL,
  status text NOT NULL CHECK (status IN ('active','completed','cancelled')),
  completed_at timestamp,
  certificate_issued_at timestamp,
  UNIQUE (user_id, course_id)
);
CREATE TABLE lesson_progress (
  id integer PRIMARY KEY,
  enrollment_id integer NOT NULL REFERENCES enrollments(id),
  lesson_id integer NOT NULL REFERENCES lessons(id),
  started_at timestamp NOT NULL,
  completed_at timestamp,
  UNIQUE (enrollment_id, lesson_id)
);
CREATE TABLE quizzes (
  id integer PRIMARY KEY,
  course_id integer NOT NULL REFERENCES courses(id),
  title text NOT NULL,
  passing_score integer NOT NULL,
  question_count integer NOT NULL
);
CREATE TABLE quiz_attempts (
  id integer PRIMARY KEY,
  quiz_id integer NOT NULL REFERENCES quizzes(id),
  user_id integer NOT NULL REFERENCES users(id),
  started_at timestamp NOT NULL,
  submitted_at timestamp,
  score integer,
  passed boolean
);
CREATE TABLE reviews (
  id integer PRIMARY KEY,
  course_id integer NOT NULL REFERENCES courses(id),
  user_id integer NOT NULL REFERENCES users(id),
  rating integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
  comment text,
  created_at timestamp NOT NULL
);
CREATE TABLE payments (
  id integer PRIMARY KEY,
  enrollment_id integer NOT NULL REFERENCES enrollments(id),
  coupon_id integer REFERENCES coupons(id),
  amount numeric(8,2) NOT NULL,
  method text NOT NULL,
  status text NOT NULL CHECK (status IN ('succeeded','failed')),
  paid_at timestamp NOT NULL
);
CREATE TABLE refunds (
  id integer PRIMARY KEY,
  payment_id integer NOT NULL REFERENCES payments(id),
  amount numeric(8,2) NOT NULL,
  reason text,
  refunded_at timestamp NOT NULL
);

CREATE FUNCTION pg_temp.h(s text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x'||substr(md5(s),1,7))::bit(28)::int) % n $$;

INSERT INTO users
SELECT i, f||' '||l, lower(f)||'.'||lower(l)||'@'||(ARRAY['gmail.com','outlook.com','yahoo.com','proton.me'])[1+pg_temp.h('em'||i,4)],
  CASE WHEN pg_temp.h('cn'||i,20)=0 THEN NULL ELSE
    (ARRAY['United States','United States','United States','United States','Germany','Germany','India','India','India','Brazil','United Kingdom','United Kingdom','Canada','France','Spain','Poland','Japan','Nigeria'])[1+pg_temp.h('c'||i,18)] END,
  (ARRAY['free','free','free','pro','pro','team'])[1+pg_temp.h('p'||i,6)],
  pg_temp.h('a'||i,12)<>0, pg_temp.h('m'||i,5)<3,
  CASE WHEN i>20 AND pg_temp.h('r'||i,4)=0 THEN 1+pg_temp.h('rb'||i, least(i-1,60)) END,
  c,
  CASE WHEN pg_temp.h('ll'||i,15)=0 THEN NULL ELSE c + date_trunc('second', (timestamp '2025-12-20 18:00' - c) * (pg_temp.h('lg'||i,1000)/1000.0)) END
FROM (SELECT i,
   (ARRAY['Anna','Ben','Carla','David','Elena','Farid','Grace','Hiro','Ines','Jonas','Kavya','Liam','Marta','Noah','Olivia','Pedro','Quinn','Rosa','Samir','Tara','Ugo','Vera','Wei','Ximena','Yusuf','Zoe','Arjun','Bianca','Chidi','Daria'])[1+i%30] f,
   (ARRAY['Meyer','Silva','Patel','Johnson','Kowalski','Okafor','Tanaka','Dubois','Garcia','Smith','Brown','Fischer','Rao','Martins','Lopez','Novak','Clark','Singh','Weber','Costa','Moreau','Sato','Adeyemi','Walker','Hughes','Iyer','Becker','Ramos','Evans','Zielinski','Nolan','Keller','Das','Pinto','Wright','Ortiz','Lambert','Suzuki','Bello','Turner'])[1+((i%30)*7+i/30)%40] l,
   date_trunc('second', timestamp '2023-01-03 08:00' + (i*85.0 + pg_temp.h('cr'||i,80)) * interval '1 hour' + pg_temp.h('crm'||i,3600)*interval '1 second') c
  FROM generate_series(1,300) i) s;

UPDATE users SET country = 'Brazil' WHERE id = (SELECT max(id) FROM users WHERE country = 'India');

INSERT INTO instructors VALUES
(1,'Dr. Maya Lindholm','maya.lindholm@learnly.io','Sweden','Former data scientist, teaches statistics and Python.',0.70,'2022-11-14'),
(2,'Tom Barrett','tom.barrett@learnly.io','United States','Full-stack developer for 15 years.',0.65,'2022-12-01'),
(3,'Priya Nair','priya.nair@learnly.io','India','Cloud architect and AWS trainer.',0.60,'2023-01-09'),
(4,'Luca Ferrante','luca.ferrante@learnly.io','Italy','Product designer.',0.60,'2023-02-20'),
(5,'Sarah Goldberg','sarah.goldberg@learnly.io','United States',NULL,0.55,'2023-03-06'),
(6,'Kenji Mori','kenji.mori@learnly.io','Japan','Security engineer.',0.60,'2023-05-15'),
(7,'Amelie Laurent','amelie.laurent@learnly.io','France','Marketing strategist.',0.50,'2023-07-03'),
(8,'Oluwaseun Ade','seun.ade@learnly.io','Nigeria','Mobile developer and conference speaker.',0.55,'2023-09-18'),
(9,'Katrin Vogel','katrin.vogel@learnly.io','Germany','Finance lecturer.',0.60,'2023-11-27'),
(10,'Diego Herrera','diego.herrera@learnly.io','Mexico','Photographer and film maker.',0.50,'2024-02-12'),
(11,'Hannah Price','hannah.price@learnly.io','United Kingdom',NULL,0.50,'2024-06-10'),
(12,'Victor Chen','victor.chen@learnly.io','Canada','Machine learning engineer.',0.65,'2024-09-02'),
(13,'Ingrid Solberg','ingrid.solberg@learnly.io',NULL,NULL,0.50,'2025-03-17'),
(14,'Raj Malhotra','raj.malhotra@learnly.io','India','Business coach.',0.50,'2025-08-04');

INSERT INTO courses VALUES
(1,1,'Python for Data Analysis','Data Science','beginner','English',89.00,'published','2023-01-16'),
(2,1,'Applied Statistics','Data Science','intermediate','English',99.00,'published','2023-04-03'),
(3,2,'JavaScript Fundamentals','Web Development','beginner','English',59.00,'published','2023-01-16'),
(4,2,'React from Scratch','Web Development','intermediate','English',94.00,'published','2023-05-22'),
(5,2,'Advanced TypeScript','Web Development','advanced','English',119.00,'published','2024-01-15'),
(6,3,'AWS Cloud Practitioner','Cloud','beginner','English',79.00,'published','2023-02-27'),
(7,3,'Kubernetes in Production','Cloud','advanced','English',149.00,'published','2023-10-09'),
(8,3,'Terraform Basics','Cloud','intermediate','English',69.00,'archived','2023-06-12'),
(9,4,'UX Design Essentials','Design','beginner','English',64.00,'published','2023-03-20'),
(10,4,'Figma Masterclass','Design','intermediate','English',74.00,'published','2023-09-04'),
(11,5,'Project Management Basics','Business','beginner','English',49.00,'published','2023-04-17'),
(12,5,'Agile Leadership','Business','advanced','English',109.00,'published','2024-03-11'),
(13,6,'Ethical Hacking Introduction','Security','beginner','English',84.00,'published','2023-06-26'),
(14,6,'Network Security','Security','intermediate','English',104.00,'published','2024-02-05'),
(15,7,'Digital Marketing 101','Marketing','beginner','English',54.00,'published','2023-08-14'),
(16,7,'Marketing Digital pour Débutants','Marketing','beginner','French',54.00,'published','2024-05-13'),
(17,7,'SEO Strategy','Marketing','intermediate','English',72.00,'archived','2023-11-06'),
(18,8,'Android Apps with Kotlin','Mobile','intermediate','English',92.00,'published','2023-11-20'),
(19,8,'Flutter Crash Course','Mobile','beginner','English',67.00,'published','2024-07-01'),
(20,9,'Finanzen für Einsteiger','Business','beginner','German',44.00,'published','2024-01-29'),
(21,9,'Financial Modeling in Excel','Business','intermediate','English',97.00,'published','2024-04-22'),
(22,10,'Photography Basics','Design','beginner','English',39.00,'published','2024-04-08'),
(23,10,'Edición de Video','Design','intermediate','Spanish',57.00,'published','2024-09-16'),
(24,11,'Public Speaking','Business','beginner','English',34.00,'published','2024-08-19'),
(25,12,'Deep Learning with PyTorch','Data Science','advanced','English',159.00,'published','2024-10-14'),
(26,12,'Prompt Engineering','Data Science','beginner','English',47.00,'published','2025-02-03'),
(27,2,'Intro to Git','Web Development','beginner','English',0.00,'published','2023-02-06'),
(28,6,'Security Awareness for Everyone','Security','beginner','English',0.00,'published','2024-06-03'),
(29,12,'MLOps in Practice','Data Science','advanced','English',139.00,'draft',NULL),
(30,13,'Nordic Interior Design','Design','beginner','English',62.00,'draft',NULL),
(31,1,'Bayesian Thinking','Data Science','advanced','English',129.00,'published','2025-11-24');

INSERT INTO lessons
SELECT row_number() OVER (ORDER BY c.id,p), c.id,
  CASE WHEN p<=3 THEN 'Getting Started' WHEN p<=6 THEN 'Core Concepts' WHEN p<=9 THEN 'Going Deeper' ELSE 'Final Project' END,
  p,
  (ARRAY['Welcome','Setting Up','First Steps','Key Ideas','Common Patterns','Worked Example','Case Study','Tools and Tips','Pitfalls','Project Brief','Project Walkthrough','Wrap-up'])[p],
  CASE WHEN p=1 THEN 'video' ELSE (ARRAY['video','video','video','article','exercise'])[1+pg_temp.h('lt'||c.id||'-'||p,5)] END,
  CASE WHEN pg_temp.h('ld'||c.id||'-'||p,25)=0 THEN NULL ELSE 4+pg_temp.h('lm'||c.id||'-'||p,38) END,
  p=1 OR (p=2 AND c.id%4=0)
FROM courses c, generate_series(1,12) p WHERE c.id<>30 AND p <= 6+pg_temp.h('ln'||c.id,7);

INSERT INTO coupons VALUES
(1,'WELCOME10',10,'2023-01-01',NULL,NULL),
(2,'SPRING23',20,'2023-03-15','2023-05-15',100),
(3,'SUMMER23',25,'2023-07-01','2023-08-31',80),
(4,'BLACKFRIDAY23',40,'2023-11-20','2023-11-30',200),
(5,'NEWYEAR24',30,'2024-01-01','2024-01-31',150),
(6,'STUDENT15',15,'2023-09-01',NULL,NULL),
(7,'SUMMER24',25,'2024-07-01','2024-08-31',100),
(8,'BLACKFRIDAY24',50,'2024-11-22','2024-12-02',250),
(9,'PARTNER20',20,'2024-05-01','2025-12-31',300),
(10,'SPRING25',20,'2025-03-15','2025-05-15',100),
(11,'VIPONLY',60,'2025-01-01','2025-12-31',5),
(12,'BLACKFRIDAY25',45,'2025-11-21','2025-12-01',250);

-- users 281..300 and every 23rd user never enrol; drafts and course 31 have no enrollments
INSERT INTO enrollments
SELECT row_number() OVER (ORDER BY e.at, e.uid, e.cid), e.uid, e.cid, e.at, e.st,
  CASE WHEN e.st='completed' THEN e.done END,
  CASE WHEN e.st='completed' AND pg_temp.h('ci'||e.uid||'-'||e.cid,8)<>0 THEN e.done + (1+pg_temp.h('cd'||e.uid||'-'||e.cid,70))*interval '1 hour' END
FROM (
  SELECT u.id uid, c.id cid, s.at,
    s.at + (6+pg_temp.h('dn'||u.id||'-'||c.id,110))*interval '1 day' + pg_temp.h('dh'||u.id||'-'||c.id,80000)*interval '1 second' done,
    CASE WHEN pg_temp.h('st'||u.id||'-'||c.id,100)<9 THEN 'cancelled'
         WHEN pg_temp.h('st'||u.id||'-'||c.id,100)<54-(CASE c.level WHEN 'advanced' THEN 20 WHEN 'intermediate' THEN 8 ELSE 0 END)
          AND s.at + (8+pg_temp.h('dn'||u.id||'-'||c.id,110))*interval '1 day' < timestamp '2025-12-15' THEN 'completed'
         ELSE 'active' END st
  FROM users u CROSS JOIN courses c
  CROSS JOIN LATERAL (SELECT date_trunc('second', greatest(u.created_at, c.published_at::timestamp + interval '9 hours') + (timestamp '2025-12-10' - greatest(u.created_at, c.published_at::timestamp)) * power(pg_temp.h('at'||u.id||'-'||c.id,10000)/10000.0, 2.6)) AS at) s
  WHERE c.published_at IS NOT NULL AND c.id <> 31
    AND u.id <= 280 AND u.id % 23 <> 0
    AND pg_temp.h('en'||u.id||'-'||c.id,1000) < 40 + pg_temp.h('pop'||c.id,160) + pg_temp.h('act'||u.id,60)
    AND u.created_at < timestamp '2025-11-25'
    AND (c.status <> 'archived' OR s.at < timestamp '2025-01-15')
) e;

INSERT INTO lesson_progress
SELECT row_number() OVER (ORDER BY st, eid, lid), eid, lid, st, CASE WHEN ok THEN st + dur END
FROM (
  SELECT e.id eid, l.id lid,
   date_trunc('second', e.enrolled_at + interval '20 minutes' + (coalesce(e.completed_at, least(e.enrolled_at + interval '60 days', timestamp '2025-12-18')) - e.enrolled_at - interval '20 minutes') * ((l.position-1) / 13.0)) st,
   (5+pg_temp.h('pd'||e.id||'-'||l.id,90))*interval '1 minute' dur,
   e.status='completed' OR pg_temp.h('pk'||e.id||'-'||l.id,6)<>0 ok
  FROM enrollments e JOIN lessons l USING (course_id)
  WHERE e.id % 4 IN (0) AND (e.status='completed' OR l.position <= pg_temp.h('pp'||e.id,9))
) x;

INSERT INTO quizzes
SELECT row_number() OVER (ORDER BY c.id,k), c.id,
  c.title || CASE k WHEN 1 THEN ' - Checkpoint Quiz' ELSE ' - Final Exam' END,
  CASE k WHEN 1 THEN 60 ELSE 70 END, CASE k WHEN 1 THEN 10 ELSE 20+5*(c.id%3) END
FROM courses c, generate_series(1,2) k
WHERE c.status<>'draft' AND c.id NOT IN (22,24,27) AND (k=2 OR c.id%3<>0);

INSERT INTO quiz_attempts
SELECT row_number() OVER (ORDER BY st, uid, qid), qid, uid, st,
  CASE WHEN sub THEN st + (6+pg_temp.h('qd'||uid||'-'||qid||'-'||n,55))*interval '1 minute' END,
  CASE WHEN sub THEN sc END, CASE WHEN sub THEN sc>=ps END
FROM (
  SELECT q.id qid, e.user_id uid, n, q.passing_score ps,
    date_trunc('second', e.enrolled_at + interval '3 days' + (n*4+pg_temp.h('qs'||e.id||'-'||q.id,9))*interval '1 day' + pg_temp.h('qm'||e.id||'-'||q.id||n,36000)*interval '1 second') st,
    pg_temp.h('qu'||e.id||'-'||q.id||'-'||n,14)<>0 sub,
    least(100, 38+pg_temp.h('sc'||e.id||'-'||q.id||'-'||n,50)+pg_temp.h('sk'||e.user_id,12)+n*4) sc
  FROM enrollments e JOIN quizzes q USING (course_id), generate_series(1,3) n
  WHERE e.status<>'cancelled' AND pg_temp.h('qz'||e.id||'-'||q.id,10) < CASE n WHEN 1 THEN 5 WHEN 2 THEN 2 ELSE 1 END
) z WHERE st < timestamp '2025-12-18';

INSERT INTO reviews
SELECT row_number() OVER (ORDER BY at,uid,cid), cid, uid, r,
  CASE WHEN pg_temp.h('rc'||eid,3)=0 THEN NULL ELSE
   CASE WHEN r=5 THEN (ARRAY['Excellent course, highly recommended!','Loved it.','Clear explanations and great examples.'])[1+pg_temp.h('rt'||eid,3)]
        WHEN r=4 THEN (ARRAY['Very good, a bit fast in places.','Solid content.','Good value for the price.'])[1+pg_temp.h('rt'||eid,3)]
        WHEN r=3 THEN (ARRAY['Okay, but some videos are outdated.','Average.','Audio quality could be better.'])[1+pg_temp.h('rt'||eid,3)]
        ELSE (ARRAY['Not what I expected.','Too basic for the price.','Outdated content, asked for a refund.'])[1+pg_temp.h('rt'||eid,3)] END END, at
FROM (SELECT e.id eid, e.user_id uid, e.course_id cid,
   CASE WHEN x<30+pg_temp.h('rq'||e.course_id,25) THEN 5 WHEN x<72 THEN 4 WHEN x<86 THEN 3 WHEN x<94 THEN 2 ELSE 1 END r,
   date_trunc('second', least(coalesce(e.completed_at, e.enrolled_at+interval '25 days'), timestamp '2025-12-17') + pg_temp.h('ra'||e.id,86400)*interval '1 second') AS at
  FROM (SELECT *, pg_temp.h('rx'||id,100) x FROM enrollments) e
  WHERE e.status<>'cancelled' AND e.course_id NOT IN (24) AND pg_temp.h('rv'||e.id,10) < CASE e.status WHEN 'completed' THEN 5 ELSE 2 END) r;

INSERT INTO payments
SELECT row_number() OVER (ORDER BY at, eid, n), eid, cp, round(price*(100-coalesce(disc,0))/100,2), m, st, at
FROM (
 SELECT e.id eid, n, c.price,
  e.enrolled_at + CASE WHEN n=1 AND pg_temp.h('pf'||e.id,9)=0 THEN -interval '7 minutes' ELSE interval '1 minute' END AS at,
  CASE WHEN n=1 AND pg_temp.h('pf'||e.id,9)=0 THEN 'failed' ELSE 'succeeded' END st,
  (ARRAY['card','card','card','card','paypal','paypal','apple_pay','bank_transfer'])[1+pg_temp.h('pm'||e.id||n,8)] m,
  k.id cp, k.discount_percent disc
 FROM enrollments e JOIN courses c ON c.id=e.course_id
 CROSS JOIN generate_series(1,2) n
 LEFT JOIN LATERAL (SELECT k.* FROM coupons k
    WHERE e.enrolled_at::date BETWEEN k.valid_from AND coalesce(k.valid_until, date '2025-12-31') AND k.id<>11
      AND (pg_temp.h('cu'||e.id,100) < 16 OR (k.code LIKE 'BLACK%' AND pg_temp.h('cu'||e.id,100) < 70))
    ORDER BY (k.code LIKE 'BLACK%') DESC, pg_temp.h('ck'||e.id||k.id,1000) LIMIT 1) k ON true
 WHERE c.price>0 AND (n=1 OR pg_temp.h('pf'||e.id,9)=0)
) p;

INSERT INTO refunds
SELECT row_number() OVER (ORDER BY at,pid), pid, amt, reason, at
FROM (SELECT p.id pid, CASE WHEN pg_temp.h('rfp'||p.id,5)=0 THEN round(p.amount/2,2) ELSE p.amount END amt,
   (ARRAY['course not as described','changed mind','technical problems','bought by mistake','changed mind',NULL])[1+pg_temp.h('rr'||p.id,6)] reason,
   p.paid_at + (1+pg_temp.h('rd'||p.id,29))*interval '1 day' + pg_temp.h('rs'||p.id,40000)*interval '1 second' AS at
  FROM payments p JOIN enrollments e ON e.id=p.enrollment_id
  WHERE p.status='succeeded' AND ((e.status='cancelled' AND pg_temp.h('rf'||p.id,10)<8) OR (e.status='active' AND pg_temp.h('rf'||p.id,50)=0))) r
WHERE at < timestamp '2025-12-22';
COMMIT;
