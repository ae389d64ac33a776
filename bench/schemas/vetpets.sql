-- A chain of veterinary practices as a web application keeps it: plain names, declared keys, timestamps, statuses as text.
-- The data is the same on every server and ends on 2024-12-31 (later appointments are only booked). Load with: psql DSN -f bench/schemas/vetpets.sql
BEGIN;
DROP SCHEMA IF EXISTS vetpets CASCADE;
CREATE SCHEMA vetpets;
SET LOCAL search_path = vetpets;

-- a deterministic value 0..n-1 from key and salt (temporary, not part of the schema)
CREATE OR REPLACE FUNCTION pg_temp.h(k int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x'||substr(md5(salt||':'||k::text),1,7))::bit(28)::int) % n) $$;

CREATE TABLE practices (
  id integer PRIMARY KEY,
  name text NOT NULL UNIQUE,
  city text NOT NULL,
  region text NOT NULL,
  phone text,
  opened_on date NOT NULL,
  has_emergency_service boolean NOT NULL DEFAULT false,
  consulting_rooms integer NOT NULL
);
CREATE TABLE staff_members (
  id integer PRIMARY KEY,
  practice_id integer NOT NULL REFERENCES practices(id),
  first_name text NOT NULL,
  last_name text NOT NULL,
  role text NOT NULL,
  email text NOT NULL UNIQUE,
  hired_on date NOT NULL,
  left_on date,
  created_at timestamp NOT NULL
);
CREATE TABLE owners (
  id integer PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text UNIQUE,
  phone text,
  city text NOT NULL,
  registered_practice_id integer NOT NULL REFERENCES practices(id),
  marketing_opt_in boolean NOT NULL DEFAULT false,
  created_at timestamp NOT NULL,
  updated_at timestamp NOT NULL
);
CREATE TABLE species (
  id integer PRIMARY KEY,
  name text NOT NULL UNIQUE
);
CREATE TABLE breeds (
  id integer PRIMARY KEY,
  species_id integer NOT NULL REFERENCES species(id),
  name text NOT NULL
);
CREATE TABLE pets (
  id integer PRIMARY KEY,
  owner_id integer NOT NULL REFERENCES owners(id),
  species_id integer NOT NULL REFERENCES species(id),
  breed_id integer REFERENCES breeds(id),
  name text NOT NULL,
  sex text NOT NULL,
  date_of_birth date,
  is_neutered boolean NOT NULL DEFAULT false,
  microchip_number text UNIQUE,
  deceased_on date,
  created_at timestamp NOT NULL,
  updated_at timestamp NOT NULL
);
CREATE TABLE insurance_policies (
  id integer PRIMARY KEY,
  pet_id integer NOT NULL REFERENCES pets(id),
  provider text NOT NULL,
  policy_number text NOT NULL UNIQUE,
  status text NOT NULL,
  monthly_premium numeric(8,2) NOT NULL,
  annual_limit numeric(10,2) NOT NULL,
  starts_on date NOT NULL,
  ends_on date
);
CREATE TABLE appointments (
  id integer PRIMARY KEY,
  pet_id integer NOT NULL REFERENCES pets(id),
  practice_id integer NOT NULL REFERENCES practices(id),
  staff_member_id integer NOT NULL REFERENCES staff_members(id),
  scheduled_at timestamp NOT NULL,
  status text NOT NULL,
  reason text NOT NULL,
  booked_via text NOT NULL,
  created_at timestamp NOT NULL
);
CREATE TABLE visits (
  id integer PRIMARY KEY,
  appointment_id integer UNIQUE REFERENCES appointments(id),
  pet_id integer NOT NULL REFERENCES pets(id),
  practice_id integer NOT NULL REFERENCES practices(id),
  vet_id integer NOT NULL REFERENCES staff_members(id),
  visit_type text NOT NULL,
  started_at timestamp NOT NULL,
  ended_at timestamp NOT NULL,
  weight_kg numeric(6,2),
  diagnosis text,
  follow_up_needed boolean NOT NULL DEFAULT false
);
CREATE TABLE treatments (
  id integer PRIMARY KEY,
  code text NOT NULL UNIQUE,
  name text NOT NULL,
  category text NOT NULL,
  list_price numeric(8,2) NOT NULL,
  is_active boolean NOT NULL DEFAULT true
);
CREATE TABLE visit_treatments (
  id integer PRIMARY KEY,
  visit_id integer NOT NULL REFERENCES visits(id),
  treatment_id integer NOT NULL REFERENCES treatments(id),
  quantity integer NOT NULL,
  unit_price numeric(8,2) NOT NULL
);
CREATE TABLE vaccines (
  id integer PRIMARY KEY,
  species_id integer NOT NULL REFERENCES species(id),
  name text NOT NULL,
  manufacturer text NOT NULL,
  validity_months integer NOT NULL
);
CREATE TABLE vaccinations (
  id integer PRIMARY KEY,
  pet_id integer NOT NULL REFERENCES pets(id),
  vaccine_id integer NOT NULL REFERENCES vaccines(id),
  visit_id integer NOT NULL REFERENCES visits(id),
  given_on date NOT NULL,
  valid_until date NOT NULL,
  batch_number text NOT NULL
);
CREATE TABLE invoices (
  id integer PRIMARY KEY,
  number text NOT NULL UNIQUE,
  visit_id integer NOT NULL UNIQUE REFERENCES visits(id),
  owner_id integer NOT NULL REFERENCES owners(id),
  status text NOT NULL,
  issued_on date NOT NULL,
  due_on date NOT NULL,
  subtotal numeric(10,2) NOT NULL,
  vat_amount numeric(10,2) NOT NULL,
  total_amount numeric(10,2) NOT NULL,
  created_at timestamp NOT NULL
);
CREATE TABLE payments (
  id integer PRIMARY KEY,
  invoice_id integer NOT NULL REFERENCES invoices(id),
  method text NOT NULL,
  amount numeric(10,2) NOT NULL,
  paid_at timestamp NOT NULL
);

COMMENT ON COLUMN staff_members.role IS 'veterinarian, nurse, receptionist or practice_manager';
COMMENT ON COLUMN staff_members.left_on IS 'last working day; empty while employed';
COMMENT ON COLUMN pets.deceased_on IS 'date of death; empty while the pet is alive';
COMMENT ON COLUMN visits.appointment_id IS 'empty for walk-ins';
COMMENT ON COLUMN appointments.status IS 'booked (still to come), completed, cancelled or no_show';
COMMENT ON COLUMN invoices.status IS 'paid, partially_paid, unpaid or void (a void invoice does not count as revenue)';
COMMENT ON COLUMN invoices.total_amount IS 'subtotal plus VAT, in pounds';
COMMENT ON COLUMN visit_treatments.unit_price IS 'price charged, without VAT; may be below the list price';

INSERT INTO practices VALUES
 (1,'Harbour Street Vets','Bristol','South West','0117 555 0101','2009-03-02',true,5),
 (2,'Clifton Cat & Dog Clinic','Bristol','South West','0117 555 0144','2017-09-11',false,3),
 (3,'Bathwick Animal Care','Bath','South West','01225 555 020','2012-05-21',false,4),
 (4,'Cathays Veterinary Centre','Cardiff','Wales','029 5550 1313','2011-01-17',true,5),
 (5,'Swansea Bay Vets','Swansea','Wales','01792 555 77','2019-06-03',false,3),
 (6,'Jericho Pet Hospital','Oxford','South East','01865 555 303','2014-10-06',true,6),
 (7,'Reading Riverside Vets','Reading','South East',NULL,'2023-02-13',false,2);

INSERT INTO staff_members
SELECT i, p, f, l, r,
       lower(f)||'.'||lower(l)||i||'@vetpets.example', hd,
       CASE WHEN i IN (9,22,37,46) THEN (date '2024-02-29' + (i-9)*7) WHEN i IN (3,28) THEN date '2022-11-30' END,
       hd + time '09:00'
FROM (
 SELECT i, 1+((i-1)%7) AS p,
  (ARRAY['Amara','Ben','Carys','Dylan','Elin','Farah','George','Hannah','Imran','Joanna','Kofi','Lowri','Marek','Nia','Owen','Priya','Quentin','Rhys','Sofia','Tom'])[1+(i*3)%20] AS f,
  (ARRAY['Abbott','Bevan','Clarke','Davies','Evans','Foster','Griffiths','Hughes','Iqbal','Jenkins','Kaur','Lewis','Morgan','Novak','Osei','Parry','Quinn','Roberts','Singh','Thomas','Usman','Vaughan','Walsh'])[1+(i*5)%23] AS l,
  CASE WHEN i<=28 THEN 'veterinarian' WHEN i<=42 THEN 'nurse' WHEN i<=49 THEN 'receptionist' ELSE 'practice_manager' END AS r,
  CASE WHEN i = 26 THEN date '2024-12-30' WHEN (1+((i-1)%7)) = 7 THEN date '2023-01-09' + (i/7)*5 ELSE date '2015-01-05' + pg_temp.h(i,'hire',2900) END AS hd
 FROM generate_series(1,56) i) s;
UPDATE staff_members SET hired_on='2018-04-09', created_at='2018-04-09 09:00' WHERE id IN (3);
UPDATE staff_members SET left_on=NULL WHERE id=28;
UPDATE staff_members SET hired_on='2024-03-04', created_at='2024-03-04 09:00' WHERE id IN (10,33);
UPDATE staff_members SET hired_on='2023-09-18', created_at='2023-09-18 09:00' WHERE id IN (20,41,47);

INSERT INTO owners
SELECT i, f, l,
  CASE WHEN i%17=0 THEN NULL ELSE lower(f)||'.'||lower(l)||'@mail.example' END,
  CASE WHEN i%11=0 THEN NULL ELSE '07700 9'||lpad((i*271%100000)::text,5,'0') END,
  CASE WHEN pg_temp.h(i,'town',5)=0 THEN (ARRAY['Portishead','Keynsham','Chippenham','Penarth','Neath','Abingdon','Wokingham'])[p] ELSE (SELECT city FROM practices WHERE id=p) END,
  p, pg_temp.h(i,'mkt',5)<2, c, c + (pg_temp.h(i,'upd',90)||' days')::interval
FROM (SELECT i,
  (ARRAY['Alice','Brian','Chloe','Daniel','Emma','Freddie','Grace','Harry','Isla','Jack','Katie','Liam','Megan','Noah','Olivia','Peter','Ruby','Sam','Tara','Umar','Violet','Will','Yasmin','Zoe','Ffion'])[1+i%25] AS f,
  (ARRAY['Adams','Baker','Carter','Dixon','Ellis','Fisher','Gibson','Harris','Irwin','James','Kelly','Lloyd','Mason','Nash','Owen','Powell','Reid','Scott','Turner','Underwood','Vickers','Ward','Young','Atkins','Bishop','Cole','Dawson','Edwards','Ford','Grant','Hill','Jones','Khan','Lane','Mills','Norris','Patel','Rees','Shaw','Taylor'])[1+(i*7+(i/25)*2)%40] AS l,
  CASE WHEN pg_temp.h(i,'prac',12)<3 THEN 1 WHEN pg_temp.h(i,'prac',12)<4 THEN 2 WHEN pg_temp.h(i,'prac',12)<6 THEN 3 WHEN pg_temp.h(i,'prac',12)<8 THEN 4 WHEN pg_temp.h(i,'prac',12)<9 THEN 5 WHEN pg_temp.h(i,'prac',12)<11 THEN 6 ELSE 7 END AS p,
  timestamp '2021-01-04 09:00' + (pg_temp.h(i,'oc',1200)||' days')::interval + (pg_temp.h(i,'om',480)||' minutes')::interval AS c
 FROM generate_series(1,340) i) o;
UPDATE owners SET created_at = created_at + interval '2 years' WHERE registered_practice_id=7 AND created_at < '2023-02-13';
UPDATE owners SET created_at = timestamp '2023-02-20 10:00' + (id||' hours')::interval WHERE registered_practice_id=7 AND created_at < '2023-02-13';
UPDATE owners SET updated_at = created_at + interval '3 days' WHERE updated_at < created_at;

INSERT INTO species VALUES (1,'Dog'),(2,'Cat'),(3,'Rabbit'),(4,'Guinea pig'),(5,'Bird'),(6,'Reptile'),(7,'Ferret');
INSERT INTO breeds
SELECT row_number() OVER (), s, n FROM (VALUES
 (1,'Labrador Retriever'),(1,'Cocker Spaniel'),(1,'French Bulldog'),(1,'Border Collie'),(1,'German Shepherd'),(1,'Staffordshire Bull Terrier'),(1,'Cavapoo'),(1,'Dachshund'),(1,'Welsh Corgi'),(1,'Greyhound'),
 (2,'Domestic Shorthair'),(2,'British Shorthair'),(2,'Maine Coon'),(2,'Siamese'),(2,'Ragdoll'),(2,'Bengal'),
 (3,'Netherland Dwarf'),(3,'Lionhead'),(3,'Mini Lop'),(4,'Abyssinian'),(4,'American'),(5,'Budgerigar'),(5,'Cockatiel'),(6,'Bearded Dragon'),(6,'Corn Snake'),(1,'Saint Bernard'),(2,'Sphynx')) b(s,n);

INSERT INTO pets
SELECT i, o, s, b,
  (ARRAY['Bella','Max','Luna','Charlie','Poppy','Milo','Daisy','Rocky','Coco','Teddy','Willow','Oscar','Lola','Buddy','Molly','Simba','Ruby','Alfie','Nala','Jasper','Honey','Ziggy','Pepper','Monty','Tilly','Archie','Smudge','Biscuit','Socks','Shadow','Hazel'])[1+pg_temp.h(i,'pn',31)],
  CASE WHEN pg_temp.h(i,'sex',2)=0 THEN 'female' ELSE 'male' END,
  CASE WHEN i%37=0 THEN NULL ELSE (c::date - 60 - pg_temp.h(i,'dob',3300)) END,
  s<4 AND pg_temp.h(i,'neu',10)<6,
  CASE WHEN (s=1 AND pg_temp.h(i,'chip',20)<18) OR (s=2 AND pg_temp.h(i,'chip',20)<14) OR (s IN (3,7) AND pg_temp.h(i,'chip',20)<4) THEN '9851'||lpad((i::bigint*7919021%100000000000)::text,11,'0') END,
  CASE WHEN pg_temp.h(i,'dead',13)=0 THEN greatest(c::date+200, date '2023-04-01') + pg_temp.h(i,'dd',150) END,
  c, c + (pg_temp.h(i,'pu',200)||' days')::interval
FROM (SELECT i, ow.id AS o, t.s,
   CASE WHEN pg_temp.h(i,'mix',5)=0 THEN NULL WHEN t.s=1 THEN 1+pg_temp.h(i,'br',10) WHEN t.s=2 THEN 11+least(pg_temp.h(i,'br',9),5) WHEN t.s=3 THEN 17+pg_temp.h(i,'br',3) WHEN t.s=4 THEN 20+pg_temp.h(i,'br',2) WHEN t.s=5 THEN 22+pg_temp.h(i,'br',2) WHEN t.s=6 THEN 24+pg_temp.h(i,'br',2) END AS b,
   ow.created_at + (CASE WHEN pg_temp.h(i,'pc',4)=0 THEN 20+pg_temp.h(i,'pc2',250) ELSE 0 END||' days')::interval + interval '5 minutes' AS c
  FROM generate_series(1,560) i
  JOIN LATERAL (SELECT CASE WHEN x<46 THEN 1 WHEN x<78 THEN 2 WHEN x<86 THEN 3 WHEN x<91 THEN 4 WHEN x<95 THEN 5 WHEN x<98 THEN 6 ELSE 7 END AS s FROM (SELECT pg_temp.h(i,'sp',100) AS x) z) t ON true
  JOIN owners ow ON ow.id = 1+pg_temp.h(i,'owner',330)) q
WHERE o % 31 <> 0;
UPDATE pets SET deceased_on=NULL WHERE deceased_on > '2024-12-31';

INSERT INTO insurance_policies
SELECT row_number() OVER (ORDER BY id), id,
  (ARRAY['PawSure','PetGuard','Companion Mutual','Fetch Cover'])[1+least(pg_temp.h(id,'prov',7),3)],
  'P'||(100000+id*37), st,
  round((CASE species_id WHEN 1 THEN 28 WHEN 2 THEN 16 ELSE 9 END + pg_temp.h(id,'prem',1400)/100.0)::numeric,2),
  (ARRAY[1500,3000,5000,8000])[1+pg_temp.h(id,'lim',4)], sd,
  CASE WHEN st<>'active' THEN greatest(sd+14, least(sd+90+pg_temp.h(id,'pe',300), date '2024-12-20')) END
FROM (SELECT *, CASE WHEN deceased_on IS NOT NULL THEN 'cancelled' WHEN pg_temp.h(id,'pst',10)<7 THEN 'active' WHEN pg_temp.h(id,'pst',10)<9 THEN 'lapsed' ELSE 'cancelled' END AS st,
        created_at::date + pg_temp.h(id,'psd',60) AS sd FROM pets WHERE species_id IN (1,2,3) AND pg_temp.h(id,'ins',10)<4) p;

INSERT INTO appointments
SELECT row_number() OVER (ORDER BY c.t, c.i), c.pet_id, c.p, v.id, c.t,
  CASE WHEN c.t >= '2025-01-01' THEN 'booked' WHEN c.x<78 THEN 'completed' WHEN c.x<91 THEN 'cancelled' ELSE 'no_show' END,
  (ARRAY['Annual check-up','Vaccination','Limping','Vomiting','Skin problem','Dental','Neutering','Ear infection','Follow-up','Weight check'])[1+pg_temp.h(c.i,'rsn',10)],
  (ARRAY['phone','phone','phone','website','website','app','reception'])[1+pg_temp.h(c.i,'via',7)],
  c.t - ((1+pg_temp.h(c.i,'lead',20))||' days')::interval - (pg_temp.h(c.i,'lm',300)||' minutes')::interval
FROM (SELECT i, pe.id AS pet_id, pg_temp.h(i,'ast',100) AS x,
        CASE WHEN pg_temp.h(i,'oth',12)=0 THEN 1+pg_temp.h(i,'oth2',6) ELSE o.registered_practice_id END AS p,
        d + time '08:30' + (15*pg_temp.h(i,'slot',36)||' minutes')::interval AS t, pe.created_at, pe.deceased_on
  FROM generate_series(1,3600) i
  JOIN LATERAL (SELECT date '2023-01-02' + pg_temp.h(i,'ad',753) AS d) dd ON true
  JOIN pets pe ON pe.id = 1+ (pg_temp.h(i,'ap',750)) % 560 AND pe.id % 43 <> 0
  JOIN owners o ON o.id = pe.owner_id
  WHERE extract(isodow FROM d) < 7 AND (extract(month FROM d) NOT IN (1,2) OR pg_temp.h(i,'seas',3)>0 OR d >= date '2025-01-01')) c
JOIN LATERAL (SELECT (array_agg(s.id ORDER BY s.id))[1+pg_temp.h(c.i,'vet',997) % count(*)::int] AS id FROM staff_members s
   WHERE s.practice_id=c.p AND s.role='veterinarian' AND s.hired_on <= c.t::date AND s.hired_on < '2024-12-01' AND (s.left_on IS NULL OR s.left_on >= c.t::date)) v ON v.id IS NOT NULL
WHERE c.t >= c.created_at + interval '21 days' AND (c.deceased_on IS NULL OR c.t::date <= c.deceased_on);

INSERT INTO visits
SELECT row_number() OVER (ORDER BY st, k), aid, pet_id, p, vet, vt, st, st + (m||' minutes')::interval,
  CASE WHEN k%14=0 THEN NULL ELSE round((CASE sp WHEN 1 THEN 5+pg_temp.h(pet_id,'w',3000)/100.0 WHEN 2 THEN 2.8+pg_temp.h(pet_id,'w',400)/100.0 WHEN 3 THEN 1.2+pg_temp.h(pet_id,'w',150)/100.0 WHEN 7 THEN 0.9+pg_temp.h(pet_id,'w',80)/100.0 ELSE 0.1+pg_temp.h(pet_id,'w',90)/100.0 END * (0.95+pg_temp.h(k,'wv',11)/100.0))::numeric,2) END,
  CASE WHEN vt IN ('illness','injury') THEN
     CASE WHEN vt='illness' THEN (ARRAY['Gastroenteritis','Otitis externa','Dermatitis','Kidney disease','Diabetes','Conjunctivitis'])[1+pg_temp.h(k,'dx',6)] ELSE (ARRAY['Bite wound','Fracture','Cruciate ligament tear','Sprain'])[1+pg_temp.h(k,'dx',4)] END
     WHEN vt='dental' THEN (ARRAY['Periodontal disease','Broken tooth'])[1+pg_temp.h(k,'dx',2)] END,
  vt IN ('illness','injury','surgery') AND pg_temp.h(k,'fu',10)<4
FROM (
 SELECT a.id AS k, a.id AS aid, a.pet_id, a.practice_id AS p, a.staff_member_id AS vet, pe.species_id AS sp, a.scheduled_at + (pg_temp.h(a.id,'wait',31)||' minutes')::interval AS st,
   CASE a.reason WHEN 'Vaccination' THEN CASE WHEN pe.species_id IN (1,2,3,7) THEN 'vaccination' ELSE 'checkup' END WHEN 'Annual check-up' THEN CASE WHEN pe.species_id IN (1,2) AND a.id%2=0 THEN 'vaccination' ELSE 'checkup' END WHEN 'Weight check' THEN 'checkup' WHEN 'Follow-up' THEN 'checkup' WHEN 'Limping' THEN 'injury' WHEN 'Dental' THEN 'dental' WHEN 'Neutering' THEN 'surgery' ELSE 'illness' END AS vt,
   CASE a.reason WHEN 'Neutering' THEN 45+pg_temp.h(a.id,'dur',50) WHEN 'Dental' THEN 30+pg_temp.h(a.id,'dur',40) WHEN 'Vaccination' THEN 8+pg_temp.h(a.id,'dur',12) ELSE 12+pg_temp.h(a.id,'dur',28) END AS m
 FROM appointments a JOIN pets pe ON pe.id=a.pet_id WHERE a.status='completed'
 UNION ALL
 SELECT 100000+i, NULL, pe.id, o.registered_practice_id, v.id, pe.species_id, t,
   CASE WHEN pg_temp.h(i,'wt',3)=0 THEN 'injury' ELSE 'illness' END, 15+pg_temp.h(i,'wdur',45)
 FROM generate_series(1,420) i
 JOIN LATERAL (SELECT timestamp '2023-01-03 09:00' + (pg_temp.h(i,'wd',725)||' days')::interval + (pg_temp.h(i,'wm',560)||' minutes')::interval AS t) tt ON true
 JOIN pets pe ON pe.id = 1+pg_temp.h(i,'wp',560) AND pe.id % 43 <> 0 AND pe.created_at < t AND (pe.deceased_on IS NULL OR pe.deceased_on >= t::date)
 JOIN owners o ON o.id=pe.owner_id
 JOIN LATERAL (SELECT (array_agg(s.id ORDER BY s.id))[1+pg_temp.h(i,'wvet',997) % count(*)::int] AS id FROM staff_members s
   WHERE s.practice_id=o.registered_practice_id AND s.role='veterinarian' AND s.hired_on <= t::date AND s.hired_on < '2024-12-01' AND (s.left_on IS NULL OR s.left_on >= t::date)) v ON v.id IS NOT NULL
) x;

INSERT INTO treatments
SELECT row_number() OVER (), c, n, g, p, a FROM (VALUES
 ('CON01','Standard consultation','consultation',46.00,true),('CON02','Emergency consultation','consultation',128.00,true),('CON03','Nurse clinic','consultation',22.00,true),
 ('VAC01','Vaccination fee','vaccination',38.50,true),('VAC02','Puppy or kitten course','vaccination',74.00,true),
 ('LAB01','Blood panel','laboratory',96.00,true),('LAB02','Urinalysis','laboratory',41.00,true),('LAB03','Faecal test','laboratory',35.50,true),('LAB04','Thyroid test','laboratory',62.00,true),
 ('IMG01','X-ray','imaging',145.00,true),('IMG02','Ultrasound','imaging',190.00,true),('IMG03','MRI scan','imaging',1250.00,true),
 ('SUR01','Neutering','surgery',235.00,true),('SUR02','Wound stitching','surgery',165.00,true),('SUR03','Cruciate repair','surgery',1480.00,true),
 ('DEN01','Scale and polish','dental',175.00,true),('DEN02','Tooth extraction','dental',88.00,true),
 ('MED01','Antibiotic course','medication',27.50,true),('MED02','Pain relief','medication',19.00,true),('MED03','Ear drops','medication',16.50,true),('MED04','Flea and worm treatment','medication',24.00,true),('MED05','Insulin vial','medication',58.00,true),
 ('OTH01','Microchipping','other',18.00,true),('OTH02','Nail clipping','other',12.00,true),('OTH03','Laser therapy','other',55.00,false),('OTH04','Travel certificate','other',110.00,true)) t(c,n,g,p,a);

INSERT INTO visit_treatments
SELECT row_number() OVER (ORDER BY v.id, n), v.id, t.id,
  CASE WHEN t.category='medication' THEN 1+pg_temp.h(v.id,'q'||n,3) WHEN t.code='DEN02' THEN 1+pg_temp.h(v.id,'q'||n,4) ELSE 1 END,
  CASE WHEN pg_temp.h(v.id,'disc'||n,9)=0 THEN round(t.list_price*0.9,2) ELSE t.list_price END
FROM visits v
CROSS JOIN generate_series(1,4) n
JOIN LATERAL (SELECT CASE
  WHEN n=1 THEN CASE WHEN v.visit_type='surgery' THEN 'SUR01' WHEN v.visit_type='vaccination' THEN CASE WHEN pg_temp.h(v.id,'pk',6)=0 THEN 'VAC02' ELSE 'VAC01' END WHEN v.visit_type='dental' THEN 'DEN01' WHEN v.appointment_id IS NULL AND v.practice_id IN (1,4,6) THEN 'CON02' WHEN pg_temp.h(v.id,'nc',7)=0 AND v.visit_type='checkup' THEN 'CON03' ELSE 'CON01' END
  WHEN n=2 THEN CASE v.visit_type WHEN 'illness' THEN (ARRAY['MED01','LAB01','MED03','LAB02','LAB03','MED01','IMG02'])[1+pg_temp.h(v.id,'n2',7)] WHEN 'injury' THEN (ARRAY['IMG01','SUR02','MED02','IMG01','SUR03','MED02','MED02'])[1+pg_temp.h(v.id,'n2',7)] WHEN 'dental' THEN CASE WHEN pg_temp.h(v.id,'n2',2)=0 THEN 'DEN02' END WHEN 'surgery' THEN 'MED02' ELSE CASE WHEN pg_temp.h(v.id,'n2',3)=0 THEN 'MED04' END END
  WHEN n=3 AND pg_temp.h(v.id,'n3',3)=0 THEN (ARRAY['OTH02','MED04','OTH01','LAB04','OTH04','MED05','OTH02','OTH02'])[1+pg_temp.h(v.id,'n3b',8)]
  WHEN n=4 AND pg_temp.h(v.id,'n4',9)=0 AND v.visit_type IN ('illness','injury') THEN (ARRAY['LAB01','IMG01','LAB04'])[1+pg_temp.h(v.id,'n4b',3)] END AS code) c ON true
JOIN treatments t ON t.code=c.code;

INSERT INTO vaccines VALUES
 (1,1,'DHP','Nobivet',36),(2,1,'Leptospirosis','Nobivet',12),(3,1,'Kennel cough','Zoetara',12),(4,1,'Rabies','Zoetara',36),
 (5,2,'Cat flu and enteritis','Felocor',12),(6,2,'Feline leukaemia','Felocor',24),(7,3,'Myxomatosis and RHD','Nobivet',12),(8,7,'Ferret distemper','Zoetara',12),(9,2,'Chlamydia felis','Felocor',12);
INSERT INTO vaccinations
SELECT row_number() OVER (ORDER BY v.id, va.id), v.pet_id, va.id, v.id, v.started_at::date, (v.started_at::date + (va.validity_months||' months')::interval)::date,
  upper(substr(va.manufacturer,1,2))||to_char(v.started_at,'YYMM')||'-'||(100+pg_temp.h(v.id,'bt',40))
FROM visits v JOIN pets p ON p.id=v.pet_id JOIN vaccines va ON va.species_id=p.species_id
WHERE v.visit_type='vaccination' AND va.id<>9 AND (va.id IN (2,5,7,8) OR pg_temp.h(v.id*10+va.id,'vx',5)<2);

INSERT INTO invoices
SELECT row_number() OVER (ORDER BY v.id), 'INV-'||to_char(v.started_at,'YYYY')||'-'||lpad((row_number() OVER (ORDER BY v.id))::text,5,'0'),
  v.id, p.owner_id,
  CASE WHEN pg_temp.h(v.id,'void',60)=0 THEN 'void' WHEN v.started_at < '2024-11-01' THEN CASE WHEN pg_temp.h(v.id,'ist',100)<90 THEN 'paid' WHEN pg_temp.h(v.id,'ist',100)<94 THEN 'partially_paid' ELSE 'unpaid' END
    ELSE CASE WHEN pg_temp.h(v.id,'ist',100)<60 THEN 'paid' WHEN pg_temp.h(v.id,'ist',100)<70 THEN 'partially_paid' ELSE 'unpaid' END END,
  v.started_at::date, v.started_at::date+14, s.sub, round(s.sub*0.20,2), s.sub+round(s.sub*0.20,2), v.ended_at
FROM visits v JOIN pets p ON p.id=v.pet_id
JOIN LATERAL (SELECT sum(quantity*unit_price) AS sub FROM visit_treatments vt WHERE vt.visit_id=v.id) s ON true
WHERE NOT (v.visit_type='checkup' AND pg_temp.h(v.id,'free',6)=0);

INSERT INTO payments
SELECT row_number() OVER (ORDER BY pd, k, n), k, m, amt, pd FROM (
 SELECT i.id AS k, n, 
  CASE WHEN EXISTS (SELECT 1 FROM visits v JOIN insurance_policies ip ON ip.pet_id=v.pet_id AND ip.status='active' AND ip.starts_on<=i.issued_on WHERE v.id=i.visit_id) AND i.total_amount>200 AND n=1 THEN 'insurance'
       ELSE (ARRAY['card','card','card','card','cash','bank_transfer'])[1+pg_temp.h(i.id,'pm'||n,6)] END AS m,
  CASE WHEN i.status='partially_paid' THEN round(i.total_amount*0.4,2) WHEN two AND n=1 THEN round(i.total_amount*0.6,2) WHEN two THEN i.total_amount-round(i.total_amount*0.6,2) ELSE i.total_amount END AS amt,
  least(i.created_at + CASE WHEN pg_temp.h(i.id,'lag',3)>0 AND n=1 THEN interval '10 minutes' ELSE ((1+pg_temp.h(i.id,'lg'||n,24))||' days')::interval END, timestamp '2024-12-31 18:00') AS pd
 FROM (SELECT *, (total_amount>200 AND pg_temp.h(id,'two',3)=0 AND status='paid') AS two FROM invoices WHERE status IN ('paid','partially_paid')) i
 CROSS JOIN generate_series(1,2) n WHERE n=1 OR i.two) z;

ALTER TABLE visits ADD CONSTRAINT visits_time CHECK (ended_at > started_at);
CREATE INDEX ON pets(owner_id);
CREATE INDEX ON visits(pet_id);
CREATE INDEX ON appointments(pet_id);
CREATE INDEX ON payments(invoice_id);
COMMIT;
