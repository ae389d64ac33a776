-- An application that sells online courses, as its object mapper made it: quoted camelCase names, enums in capitals, JSON, amounts in
-- cents, durations in seconds and minutes, rows that are deleted by a time stamp and not taken away, a few keys declared and no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/academy.sql
BEGIN;
DROP SCHEMA IF EXISTS academy CASCADE;
CREATE SCHEMA academy;
SET LOCAL search_path = academy;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TYPE "UserRole" AS ENUM ('LEARNER', 'INSTRUCTOR', 'ADMIN');
CREATE TYPE "CourseLevel" AS ENUM ('BEGINNER', 'INTERMEDIATE', 'ADVANCED');
CREATE TYPE "EnrollmentStatus" AS ENUM ('IN_PROGRESS', 'COMPLETED', 'DROPPED');
CREATE TYPE "PaymentStatus" AS ENUM ('SUCCEEDED', 'FAILED', 'REFUNDED', 'PENDING');
CREATE TYPE "LessonKind" AS ENUM ('VIDEO', 'ARTICLE', 'QUIZ');
CREATE TABLE "User" (
  "id" int PRIMARY KEY, "firstName" text NOT NULL, "lastName" text NOT NULL, "email" text NOT NULL, "role" "UserRole" NOT NULL, "countryCode" char(2),
  "isVerified" boolean NOT NULL, "profile" jsonb NOT NULL DEFAULT '{}', "createdAt" timestamptz NOT NULL, "lastLoginAt" timestamptz, "deletedAt" timestamptz);
CREATE TABLE "Category" ("id" int PRIMARY KEY, "name" text NOT NULL, "parentId" int REFERENCES "Category");
CREATE TABLE "Course" (
  "id" int PRIMARY KEY, "title" text NOT NULL, "instructorId" int NOT NULL REFERENCES "User", "categoryId" int NOT NULL REFERENCES "Category", "level" "CourseLevel" NOT NULL,
  "languageCode" text NOT NULL, "priceCents" int NOT NULL, "durationMinutes" int NOT NULL, "publishedAt" timestamptz, "deletedAt" timestamptz);
CREATE TABLE "Lesson" ("id" int PRIMARY KEY, "courseId" int NOT NULL, "title" text NOT NULL, "kind" "LessonKind" NOT NULL, "position" int NOT NULL, "durationSeconds" int);
CREATE TABLE "Enrollment" (
  "id" int PRIMARY KEY, "userId" int NOT NULL REFERENCES "User", "courseId" int NOT NULL REFERENCES "Course", "status" "EnrollmentStatus" NOT NULL,
  "progressPct" int NOT NULL, "enrolledAt" timestamptz NOT NULL, "completedAt" timestamptz, "metadata" jsonb NOT NULL DEFAULT '{}');
CREATE TABLE "QuizAttempt" ("id" int PRIMARY KEY, "lessonId" int NOT NULL, "userId" int NOT NULL, "score" int NOT NULL, "isPassed" boolean NOT NULL, "attemptedAt" timestamptz NOT NULL);
CREATE TABLE "Review" ("id" int PRIMARY KEY, "courseId" int NOT NULL, "authorId" int NOT NULL, "stars" int NOT NULL, "body" text, "createdAt" timestamptz NOT NULL, "deletedAt" timestamptz);
CREATE TABLE "Coupon" ("id" int PRIMARY KEY, "code" text NOT NULL, "percentOff" int NOT NULL, "expiresAt" timestamptz, "maxRedemptions" int);
CREATE TABLE "Payment" (
  "id" int PRIMARY KEY, "enrollmentId" int NOT NULL REFERENCES "Enrollment", "payerId" int NOT NULL, "couponId" int, "amountCents" int NOT NULL,
  "currency" text NOT NULL, "provider" text NOT NULL, "status" "PaymentStatus" NOT NULL, "createdAt" timestamptz NOT NULL);

INSERT INTO "User" SELECT i, (ARRAY['Amara','Bruno','Chen','Dana','Elif','Farid','Greta','Hiro','Ines','Jonas','Kira','Luca','Maya'])[1 + i % 13],
  (ARRAY['Okoye','Silva','Wei','Novak','Demir','Rahimi','Holm','Sato','Costa','Meyer','Ivanova'])[1 + i % 11], 'user' || i || CASE WHEN i % 7 = 0 THEN '@Example.org' ELSE '@example.com' END,
  (CASE WHEN i <= 14 THEN 'INSTRUCTOR' WHEN i <= 17 THEN 'ADMIN' ELSE 'LEARNER' END)::"UserRole", CASE WHEN i % 12 > 0 THEN (ARRAY['US','US','DE','BR','IN','JP','TR','NG'])[1 + pg_temp.pick(i,'uc',8)] END,
  pg_temp.pick(i,'uv',4) > 0, jsonb_build_object('timezone', (ARRAY['Europe/Berlin','America/Chicago','Asia/Tokyo'])[1 + i % 3], 'newsletter', i % 4 = 0),
  timestamptz '2022-02-01 08:00+00' + pg_temp.pick(i,'ur',1600) * interval '1 day', CASE WHEN pg_temp.pick(i,'ul',6) > 0 THEN timestamptz '2026-07-01 10:00+00' + pg_temp.pick(i,'um',120) * interval '1 day' END,
  CASE WHEN pg_temp.pick(i,'ud',11) = 0 AND i > 17 THEN timestamptz '2026-08-01 10:00+00' + pg_temp.pick(i,'ue',90) * interval '1 day' END FROM generate_series(1, 320) AS i;
INSERT INTO "Category" VALUES (1,'Programming',NULL),(2,'Data Science',1),(3,'Web Development',1),(4,'Design',NULL),(5,'Photography',4),(6,'Business',NULL),(7,'Marketing',6),(8,'Music',NULL);
INSERT INTO "Course" SELECT i, (ARRAY['Intro to','Practical','Mastering','Hands-on'])[1 + i % 4] || ' ' || (ARRAY['Python','SQL','React','Figma','Lightroom','Bookkeeping','SEO','Guitar','Statistics','Rust'])[1 + i % 10] || CASE WHEN i > 20 THEN ' ' || (ARRAY['II','III'])[1 + (i / 41)] ELSE '' END,
  1 + pg_temp.pick(i,'cw',13), (ARRAY[1,2,3,4,5,6,7,8,2,1])[1 + i % 10], (ARRAY['BEGINNER','INTERMEDIATE','ADVANCED','BEGINNER'])[1 + pg_temp.pick(i,'cl',4)]::"CourseLevel",
  (ARRAY['en','en','en','de','pt'])[1 + pg_temp.pick(i,'cg',5)], CASE WHEN pg_temp.pick(i,'cp',8) = 0 THEN 0 ELSE 990 + 100 * i + 500 * pg_temp.pick(i,'cq',20) END, 45 + 7 * i + 5 * pg_temp.pick(i,'cd',90),
  CASE WHEN pg_temp.pick(i,'cx',7) > 0 THEN timestamptz '2023-01-10 12:00+00' + pg_temp.pick(i,'cy',1200) * interval '1 day' END, CASE WHEN pg_temp.pick(i,'cz',9) = 0 THEN timestamptz '2026-05-01 12:00+00' + i * interval '1 day' END
  FROM generate_series(1, 56) AS i;
INSERT INTO "Lesson" SELECT (c - 1) * 8 + l, c, CASE WHEN l = 1 THEN 'Welcome' WHEN l = 8 THEN 'Final quiz' ELSE 'Part ' || l END, (CASE WHEN l = 8 OR l = 4 THEN 'QUIZ' WHEN pg_temp.pick(c * 8 + l,'lk',4) = 0 THEN 'ARTICLE' ELSE 'VIDEO' END)::"LessonKind", l,
  CASE WHEN l <> 8 AND l <> 4 THEN 120 + 3 * pg_temp.pick(c * 8 + l,'ld',600) END FROM generate_series(1, 56) AS c, generate_series(1, 8) AS l;
INSERT INTO "Enrollment" SELECT i, 18 + pg_temp.pick(i,'eu',290), c, s::"EnrollmentStatus", CASE s WHEN 'COMPLETED' THEN 100 ELSE pg_temp.pick(i,'ep',96) END, e,
  CASE s WHEN 'COMPLETED' THEN e + (5 + pg_temp.pick(i,'ec',90)) * interval '1 day' END, jsonb_build_object('source', (ARRAY['search','ad','friend','newsletter'])[1 + pg_temp.pick(i,'es',9) % 4], 'device', (ARRAY['mobile','desktop'])[1 + i % 2])
  FROM (SELECT i, 1 + pg_temp.pick(i,'eo',53) AS c, (ARRAY['IN_PROGRESS','COMPLETED','DROPPED','IN_PROGRESS','COMPLETED'])[1 + pg_temp.pick(i,'et',5)] AS s, timestamptz '2024-01-03 09:00+00' + pg_temp.pick(i,'ee',1000) * interval '1 day' AS e FROM generate_series(1, 1300) AS i) AS x;
INSERT INTO "QuizAttempt" SELECT i, ((1 + pg_temp.pick(i,'qc',56)) - 1) * 8 + (ARRAY[4,8])[1 + i % 2], 18 + pg_temp.pick(i,'qu',300), q, q >= 60, timestamptz '2024-02-01 09:00+00' + pg_temp.pick(i,'qa',980) * interval '1 day'
  FROM (SELECT i, 20 + pg_temp.pick(i,'qs',81) AS q FROM generate_series(1, 900) AS i) AS x;
INSERT INTO "Review" SELECT i, 1 + pg_temp.pick(i,'rc',56), 18 + pg_temp.pick(i,'ra',300), (ARRAY[5,4,5,3,2,4,1])[1 + pg_temp.pick(i,'rs',7)], CASE WHEN i % 3 > 0 THEN (ARRAY['Great pace','Too basic for me','Loved the examples','Audio was poor'])[1 + i % 4] END,
  timestamptz '2024-03-01 09:00+00' + pg_temp.pick(i,'rt',950) * interval '1 day', CASE WHEN pg_temp.pick(i,'rd',19) = 0 THEN timestamptz '2026-10-01 09:00+00' END FROM generate_series(1, 480) AS i;
INSERT INTO "Coupon" VALUES (1,'WELCOME10',10,NULL,NULL),(2,'SPRING25',25,'2025-06-01 00:00+00',200),(3,'VIP50',50,'2026-12-31 00:00+00',20),(4,'SUMMER15',15,'2025-09-01 00:00+00',300),(5,'TEAM30',30,NULL,50);
INSERT INTO "Payment" SELECT e."id", e."id", e."userId", CASE WHEN pg_temp.pick(e."id",'pc',4) = 0 THEN 1 + pg_temp.pick(e."id",'pd',4) END, greatest(990, c."priceCents"), (ARRAY['USD','USD','EUR','BRL'])[1 + pg_temp.pick(e."id",'pu',4)],
  (ARRAY['stripe','stripe','paypal','apple_pay'])[1 + pg_temp.pick(e."id",'pp',4)], (ARRAY['SUCCEEDED','SUCCEEDED','SUCCEEDED','SUCCEEDED','SUCCEEDED','SUCCEEDED','FAILED','REFUNDED','PENDING'])[1 + pg_temp.pick(e."id",'ps',9)]::"PaymentStatus", e."enrolledAt" + interval '3 minutes'
  FROM "Enrollment" AS e JOIN "Course" AS c ON c."id" = e."courseId" WHERE c."priceCents" > 0;
ANALYZE "User"; ANALYZE "Category"; ANALYZE "Course"; ANALYZE "Lesson"; ANALYZE "Enrollment"; ANALYZE "QuizAttempt"; ANALYZE "Review"; ANALYZE "Coupon"; ANALYZE "Payment";
COMMIT;
