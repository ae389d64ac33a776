-- A property manager's rental system: plain names, declared keys, statuses as text.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/lettings.sql
BEGIN;
DROP SCHEMA IF EXISTS lettings CASCADE;
CREATE SCHEMA lettings;
SET LOCAL search_path = lettings;

-- a deterministic value 0..n-1 from key and salt (temporary, not part of the schema)
CREATE OR REPLACE FUNCTION pg_temp.h(k int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x'||substr(md5(salt||':'||k::text),1,7))::bit(28)::int) % n) $$;

CREATE TABLE owners (
  id integer PRIMARY KEY,
  name text NOT NULL,
  owner_type text NOT NULL,
  email text,
  phone text,
  city text,
  management_fee_pct numeric(4,2) NOT NULL,
  joined_on date NOT NULL
);
CREATE TABLE staff (
  id integer PRIMARY KEY,
  full_name text NOT NULL,
  job_title text NOT NULL,
  email text,
  hired_on date NOT NULL,
  manager_id integer REFERENCES staff(id)
);
CREATE TABLE buildings (
  id integer PRIMARY KEY,
  owner_id integer NOT NULL REFERENCES owners(id),
  manager_id integer REFERENCES staff(id),
  name text NOT NULL,
  street_address text NOT NULL,
  city text NOT NULL,
  postcode text NOT NULL,
  year_built integer,
  has_elevator boolean NOT NULL,
  has_parking boolean NOT NULL
);
CREATE TABLE units (
  id integer PRIMARY KEY,
  building_id integer NOT NULL REFERENCES buildings(id),
  unit_number text NOT NULL,
  floor integer NOT NULL,
  bedrooms integer NOT NULL,
  bathrooms integer NOT NULL,
  size_sqm numeric(6,1) NOT NULL,
  listed_rent numeric(8,2) NOT NULL,
  is_furnished boolean NOT NULL,
  pets_allowed boolean NOT NULL
);
CREATE TABLE tenants (
  id integer PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text,
  phone text,
  date_of_birth date,
  occupation text,
  created_at timestamp NOT NULL
);
CREATE TABLE leases (
  id integer PRIMARY KEY,
  unit_id integer NOT NULL REFERENCES units(id),
  tenant_id integer NOT NULL REFERENCES tenants(id),
  agent_id integer REFERENCES staff(id),
  start_date date NOT NULL,
  end_date date NOT NULL,
  monthly_rent numeric(8,2) NOT NULL,
  deposit_amount numeric(8,2),
  status text NOT NULL CHECK (status IN ('active','expired','terminated')),
  move_out_date date
);
CREATE TABLE charges (
  id integer PRIMARY KEY,
  lease_id integer NOT NULL REFERENCES leases(id),
  charge_type text NOT NULL,
  due_date date NOT NULL,
  amount numeric(8,2) NOT NULL,
  status text NOT NULL DEFAULT 'unpaid' CHECK (status IN ('paid','partially_paid','unpaid'))
);
CREATE TABLE payments (
  id integer PRIMARY KEY,
  charge_id integer NOT NULL REFERENCES charges(id),
  paid_on date NOT NULL,
  amount numeric(8,2) NOT NULL,
  method text NOT NULL,
  reference text
);
CREATE TABLE contractors (
  id integer PRIMARY KEY,
  company_name text NOT NULL,
  trade text NOT NULL,
  city text,
  hourly_rate numeric(6,2),
  is_approved boolean NOT NULL,
  insurance_expires_on date
);
CREATE TABLE maintenance_requests (
  id integer PRIMARY KEY,
  unit_id integer NOT NULL REFERENCES units(id),
  tenant_id integer REFERENCES tenants(id),
  contractor_id integer REFERENCES contractors(id),
  category text NOT NULL,
  priority text NOT NULL,
  status text NOT NULL,
  reported_on date NOT NULL,
  completed_on date,
  cost numeric(8,2)
);
CREATE TABLE inspections (
  id integer PRIMARY KEY,
  unit_id integer NOT NULL REFERENCES units(id),
  inspector_id integer REFERENCES staff(id),
  inspection_type text NOT NULL,
  inspected_on date NOT NULL,
  rating integer,
  passed boolean NOT NULL,
  notes text
);

INSERT INTO owners VALUES
(1,'Margaret Holloway','individual','m.holloway@mailbox.co.uk','0117 496 0101','Bristol',9.00,'2019-03-11'),
(2,'Severn Gate Estates Ltd','company','office@severngate.co.uk','0117 496 0144','Bristol',7.50,'2018-06-02'),
(3,'Pritchard Family Trust','trust','trustees@pritchardft.org','029 2018 0220','Cardiff',8.00,'2020-01-20'),
(4,'Anil Deshmukh','individual','anil.deshmukh@postbox.net',NULL,'Bath',10.00,'2021-09-14'),
(5,'Northquay Property Holdings Ltd','company','accounts@northquay.co.uk','020 7946 0321','London',6.50,'2017-11-08'),
(6,'Fiona Carmichael','individual','fiona.c@postbox.net','0117 496 0177','Bristol',9.50,'2022-02-25'),
(7,'Alder & Rowe Investments LLP','company','invest@alderrowe.co.uk','01225 496 030','Bath',7.00,'2019-08-19'),
(8,'Gareth Llewellyn','individual',NULL,'029 2018 0415','Cardiff',10.00,'2023-01-09'),
(9,'St Werburgh Charitable Trust','trust','lettings@stwerburgh.org',NULL,'Bristol',6.00,'2020-10-05'),
(10,'Chen Wei','individual','chen.wei@mailbox.co.uk','020 7946 0890','London',9.00,'2023-05-17'),
(11,'Oldfield Lettings Co','company','hello@oldfieldlets.co.uk','01225 496 071','Bath',8.50,'2021-04-12'),
(12,'Rosalind Baptiste','individual','ros.baptiste@postbox.net','01793 496 012','Swindon',10.00,'2023-10-30'),
(13,'Great Western Homes Ltd','company','property@gwhomes.co.uk','01793 496 055','Swindon',7.00,'2018-02-15'),
(14,'Tomasz Zielinski','individual','t.zielinski@mailbox.co.uk','0117 496 0190','Bristol',9.50,'2024-06-03'),
(15,'Eleanor Whitcombe','individual','ewhitcombe@postbox.net','01225 496 099','Bath',9.00,'2024-11-21'),
(16,'Harbourside Capital Ltd','company','ops@harboursidecap.co.uk','020 7946 0555','London',6.50,'2025-03-04');

INSERT INTO staff VALUES
(1,'Helen Marchbanks','Managing Director','helen.marchbanks@keystonelets.co.uk','2016-04-04',NULL),
(2,'David Okonkwo','Head of Property Management','david.okonkwo@keystonelets.co.uk','2017-09-11',1),
(3,'Sarah Pemberton','Head of Lettings','sarah.pemberton@keystonelets.co.uk','2018-01-15',1),
(4,'Callum Reid','Property Manager','callum.reid@keystonelets.co.uk','2019-05-20',2),
(5,'Priya Nair','Property Manager','priya.nair@keystonelets.co.uk','2020-02-03',2),
(6,'Bethan Morgan','Property Manager','bethan.morgan@keystonelets.co.uk','2021-07-19',2),
(7,'Lewis Hartley','Lettings Agent','lewis.hartley@keystonelets.co.uk','2019-10-07',3),
(8,'Amelia Frost','Lettings Agent','amelia.frost@keystonelets.co.uk','2022-03-14',3),
(9,'Yusuf Demir','Lettings Agent','yusuf.demir@keystonelets.co.uk','2022-11-28',3),
(10,'Nicole Barrow','Lettings Agent','nicole.barrow@keystonelets.co.uk','2024-04-08',3),
(11,'Graham Tully','Inspector','graham.tully@keystonelets.co.uk','2018-08-06',2),
(12,'Ines Carvalho','Inspector','ines.carvalho@keystonelets.co.uk','2021-01-11',2),
(13,'Oscar Lindqvist','Inspector',NULL,'2023-06-26',2),
(14,'Joanne Pike','Accounts Assistant','joanne.pike@keystonelets.co.uk','2020-09-21',1);

INSERT INTO buildings VALUES
(1,1,4,'Clifton Court','14 Pembroke Road','Bristol','BS8 3BB',1972,true,true),
(2,2,4,'Severn House','220 Hotwell Road','Bristol','BS8 4NU',2008,true,true),
(3,2,4,'Temple Lofts','5 Temple Back','Bristol','BS1 6FL',2015,true,false),
(4,3,6,'Pontcanna Mansions','61 Cathedral Road','Cardiff','CF11 9HD',1898,false,false),
(5,4,5,'Walcot Terrace','33 Walcot Street','Bath','BA1 5BN',1820,false,false),
(6,5,6,'Bute Wharf','9 Lloyd George Avenue','Cardiff','CF10 4EL',2004,true,true),
(7,5,4,'Quayside Point','40 Anchor Road','Bristol','BS1 5TT',2012,true,true),
(8,6,4,'Redland Villas','18 Redland Grove','Bristol','BS6 6UQ',1905,false,true),
(9,7,5,'Lansdown Heights','2 Lansdown Place West','Bath','BA1 5EZ',1985,true,true),
(10,7,5,'Kennet Mill','11 Lower Bristol Road','Bath','BA2 9ES',2010,true,true),
(11,8,6,'Roath Park House','77 Ninian Road','Cardiff','CF23 5EN',1911,false,false),
(12,9,4,'St Werburgh Cottages','4 Mina Road','Bristol','BS2 9YW',NULL,false,true),
(13,10,6,'Cathays Studios','120 Woodville Road','Cardiff','CF24 4EE',2018,true,false),
(14,11,5,'Oldfield Park Flats','56 Moorland Road','Bath','BA2 3PW',1964,false,true),
(15,12,NULL,'Old Town Mews','8 Devizes Road','Swindon','SN1 4BG',1993,false,true),
(16,13,NULL,'Railway Village','21 Bristol Street','Swindon','SN1 5EU',1850,false,false),
(17,13,5,'Wharf Green Apartments','3 Canal Walk','Swindon','SN1 1LD',2019,true,true),
(18,14,4,'Bedminster Yard','92 North Street','Bristol','BS3 1HF',2021,true,false);

-- units: 3-6 per building
INSERT INTO units
SELECT row_number() OVER (ORDER BY b.id, n)::int, b.id,
       CASE WHEN b.has_elevator THEN ((n-1)/2+1)::text||lpad((((n-1)%2)+1)::text,2,'0') ELSE 'Flat '||n END,
       (n-1)/2 + CASE WHEN b.has_elevator THEN 1 ELSE 0 END,
       br, CASE WHEN br>=3 THEN 2 ELSE 1 END,
       round((26 + br*17 + pg_temp.h(b.id*100+n,'sz',140)/10.0)::numeric,1),
       CASE b.city WHEN 'Bristol' THEN 720 WHEN 'Bath' THEN 760 WHEN 'Cardiff' THEN 590 ELSE 530 END + br*215 + pg_temp.h(b.id*100+n,'rent',38)*5 + b.id*3,
       pg_temp.h(b.id*100+n,'furn',10)<4, pg_temp.h(b.id*100+n,'pet',10)<3
FROM buildings b, generate_series(1,6) n,
     LATERAL (SELECT (ARRAY[0,1,1,1,2,2,2,2,3,3,4])[1+pg_temp.h(b.id*100+n,'br',11)] AS br) x
WHERE n <= 3 + pg_temp.h(b.id,'nu',3);

INSERT INTO tenants
SELECT i,
 (ARRAY['James','Olivia','Mohammed','Sophie','Daniel','Chloe','Rhys','Aisha','Benjamin','Emily','Kwame','Grace','Liam','Hannah','Piotr','Megan','Arjun','Lucy','Samuel','Zara','Ethan','Freya','Mateo','Isla','Jack'])[1+(i*7)%25],
 (ARRAY['Turner','Evans','Khan','Bennett','Jones','Fletcher','Davies','Patel','Cooper','Nowak','Mensah','Hughes','Walker','Griffiths','Singh','Parsons','Murphy','Baker','Rossi','Ahmed','Shaw','Clarke','Thomas','Fernandes','Price','Webb','Osborne','Lowe','Gill'])[1+(i*11)%29],
 CASE WHEN i%17=0 THEN NULL ELSE lower((ARRAY['James','Olivia','Mohammed','Sophie','Daniel','Chloe','Rhys','Aisha','Benjamin','Emily','Kwame','Grace','Liam','Hannah','Piotr','Megan','Arjun','Lucy','Samuel','Zara','Ethan','Freya','Mateo','Isla','Jack'])[1+(i*7)%25])||i||'@'||(ARRAY['gmail.com','outlook.com','yahoo.co.uk','icloud.com'])[1+pg_temp.h(i,'dom',4)] END,
 CASE WHEN i%11=3 THEN NULL ELSE '07700 9'||lpad((pg_temp.h(i,'tel',100000))::text,5,'0') END,
 CASE WHEN i%23=5 THEN NULL ELSE date '1958-01-01' + pg_temp.h(i,'dob',16400) END,
 CASE WHEN i%13=6 THEN NULL ELSE (ARRAY['Teacher','Nurse','Software Developer','Student','Chef','Accountant','Electrician','Retail Manager','Graphic Designer','Civil Engineer','Solicitor','Retired'])[1+pg_temp.h(i,'occ',12)] END,
 timestamp '2022-10-01 09:00' + (i*8) * interval '1 day' + pg_temp.h(i,'ct',540)*interval '1 minute'
FROM generate_series(1,135) i;

-- leases: up to three per unit in turn, 12 months (some 6, 18), a few units never let
WITH RECURSIVE l AS (
  SELECT u.id AS unit_id, 1 AS k,
    (date '2023-01-01' + (pg_temp.h(u.id,'s0',14)||' months')::interval)::date AS s,
    (ARRAY[12,12,12,12,6,18])[1+pg_temp.h(u.id,'t1',6)] AS term
  FROM units u WHERE u.id % 19 <> 7
  UNION ALL
  SELECT l.unit_id, l.k+1,
    (l.s + ((l.term + pg_temp.h(l.unit_id*10+l.k,'gap',3))||' months')::interval)::date,
    (ARRAY[12,12,12,12,6,18])[1+pg_temp.h(l.unit_id*10+l.k,'t2',6)]
  FROM l WHERE l.k<4 AND l.s + ((l.term+3)||' months')::interval < date '2025-11-15' AND pg_temp.h(l.unit_id*10+l.k,'stop',9)<8
), f AS (
  SELECT row_number() OVER (ORDER BY s, unit_id)::int AS id, * FROM l
)
INSERT INTO leases
SELECT f.id, f.unit_id,
  CASE WHEN f.id%12=5 THEN 1 + (f.id*29)%61 ELSE 1 + (f.id*37)%125 END,
  CASE WHEN f.id%16=9 THEN NULL
       WHEN f.s >= date '2024-05-01' THEN (ARRAY[7,7,8,8,8,9,10,10])[1+pg_temp.h(f.id,'ag',8)]
       ELSE (ARRAY[7,7,7,8,8,9])[1+pg_temp.h(f.id,'ag',6)] END,
  f.s, (f.s + (f.term||' months')::interval - interval '1 day')::date,
  round(u.listed_rent * (0.93 + 0.03*(extract(year from f.s)-2023) + pg_temp.h(f.id,'rr',4)*0.01)),
  CASE WHEN f.id%21=4 THEN NULL ELSE round(u.listed_rent*1.15/5)*5 END,
  CASE WHEN f.term>=12 AND f.id%11=2 AND f.s < date '2025-02-01' THEN 'terminated'
       WHEN f.s + (f.term||' months')::interval - interval '1 day' <= date '2025-12-31' THEN 'expired' ELSE 'active' END,
  CASE WHEN f.term>=12 AND f.id%11=2 AND f.s < date '2025-02-01' THEN (f.s + ((4+pg_temp.h(f.id,'mo',5))||' months')::interval + pg_temp.h(f.id,'md',25)*interval '1 day')::date
       WHEN f.s + (f.term||' months')::interval - interval '1 day' <= date '2025-12-31' THEN (f.s + (f.term||' months')::interval - interval '1 day')::date ELSE NULL END
FROM f JOIN units u ON u.id=f.unit_id;

-- a tenant's record is created some days before the first lease
UPDATE tenants t SET created_at = q.s - (4 + t.id%25) * interval '1 day' + (540 + (t.id*37)%480) * interval '1 minute'
FROM (SELECT tenant_id, min(start_date) s FROM leases GROUP BY 1) q WHERE q.tenant_id=t.id;

INSERT INTO charges (id, lease_id, charge_type, due_date, amount)
SELECT row_number() OVER (ORDER BY due, lid, ct)::int, lid, ct, due, amt FROM (
  SELECT l.id AS lid, 'rent' AS ct, d::date AS due, l.monthly_rent AS amt
  FROM leases l, generate_series(l.start_date::timestamp, LEAST(coalesce(l.move_out_date,l.end_date), date '2025-12-31')::timestamp, interval '1 month') d
  UNION ALL
  SELECT l.id, 'late_fee', (d::date+10), 25 + 5*pg_temp.h(l.id,'lf',4)
  FROM leases l, generate_series(l.start_date::timestamp, LEAST(coalesce(l.move_out_date,l.end_date), date '2025-12-15')::timestamp, interval '1 month') d
  WHERE pg_temp.h(l.id*50+extract(month from d)::int,'isl',24)=0
  UNION ALL
  SELECT l.id, 'cleaning', l.move_out_date+3, 80 + 10*pg_temp.h(l.id,'cl',9)
  FROM leases l WHERE l.move_out_date IS NOT NULL AND pg_temp.h(l.id,'hcl',10)<4 AND l.move_out_date<='2025-12-20'
  UNION ALL
  SELECT l.id, 'parking', d::date, 45 + 5*pg_temp.h(l.id,'pk',5)
  FROM leases l JOIN units u ON u.id=l.unit_id JOIN buildings b ON b.id=u.building_id,
   generate_series(l.start_date::timestamp, LEAST(coalesce(l.move_out_date,l.end_date), date '2025-12-31')::timestamp, interval '3 month') d
  WHERE b.has_parking AND pg_temp.h(l.id,'hpk',3)=0
  UNION ALL
  SELECT l.id, 'repair_recharge', (l.start_date+40+pg_temp.h(l.id,'rpd',90)), 35 + pg_temp.h(l.id,'rpa',240)
  FROM leases l WHERE pg_temp.h(l.id,'hrp',9)=0 AND l.start_date < '2025-08-01'
) q;

INSERT INTO payments
SELECT row_number() OVER (ORDER BY paid, cid, part)::int, cid, paid, amt,
  m, CASE WHEN m='cash' OR pg_temp.h(cid,'ref',15)=0 THEN NULL ELSE upper(substr(md5(cid::text||part),1,8)) END
FROM (
  SELECT c.id AS cid, 1 AS part,
    c.due_date + CASE WHEN pg_temp.h(c.id,'late',10)<7 THEN pg_temp.h(c.id,'ot',4)-3 ELSE 1+pg_temp.h(c.id,'ld',24) END AS paid,
    CASE WHEN pg_temp.h(c.id,'part',20)=0 THEN round(c.amount*0.6) ELSE c.amount END AS amt,
    CASE WHEN pg_temp.h(c.lease_id,'m0',10)<4 THEN 'direct_debit' WHEN pg_temp.h(c.id,'m1',20)<9 THEN 'bank_transfer' WHEN pg_temp.h(c.id,'m1',20)<17 THEN 'card' WHEN pg_temp.h(c.id,'m1',20)<19 THEN 'cash' ELSE 'cheque' END AS m
  FROM charges c WHERE pg_temp.h(c.id,'np',100) >= CASE WHEN c.charge_type='rent' THEN 3 ELSE 16 END
  UNION ALL
  SELECT c.id, 2, c.due_date + 26 + pg_temp.h(c.id,'ld2',14), c.amount - round(c.amount*0.6), 'bank_transfer'
  FROM charges c WHERE pg_temp.h(c.id,'part',20)=0 AND pg_temp.h(c.id,'p2',3)>0 AND pg_temp.h(c.id,'np',100) >= CASE WHEN c.charge_type='rent' THEN 3 ELSE 16 END
) q WHERE paid <= date '2025-12-31';

UPDATE charges c SET status = CASE WHEN p.s >= c.amount THEN 'paid' ELSE 'partially_paid' END
FROM (SELECT charge_id, sum(amount) s FROM payments GROUP BY 1) p WHERE p.charge_id=c.id;

INSERT INTO contractors VALUES
(1,'Avon Plumbing & Heating','plumbing','Bristol',58.00,true,'2026-03-31'),
(2,'BrightSpark Electrical','electrical','Bristol',62.00,true,'2026-07-15'),
(3,'Taff Valley Plumbers','plumbing','Cardiff',49.50,true,'2025-11-30'),
(4,'Castle Electrical Services','electrical','Cardiff',52.00,true,'2026-01-31'),
(5,'Georgian Joinery','carpentry','Bath',47.00,true,'2026-05-20'),
(6,'Spotless Pest Solutions','pest control','Bristol',44.00,true,'2026-02-28'),
(7,'CoolFix Appliance Repairs','appliances','Swindon',41.00,true,'2025-09-30'),
(8,'West Country Roofing','roofing','Bath',66.50,true,'2026-08-01'),
(9,'Lockwise Security','locks','Bristol',NULL,true,'2026-04-10'),
(10,'Moonraker Gas & Heating','heating','Swindon',55.00,true,'2026-06-30'),
(11,'Hillside Decorators','painting','Bath',36.00,false,NULL),
(12,'Dragon Drains','plumbing','Cardiff',60.00,false,'2024-12-31');

INSERT INTO maintenance_requests
SELECT i, uid,
  (SELECT l.tenant_id FROM leases l WHERE l.unit_id=uid AND rd BETWEEN l.start_date AND coalesce(l.move_out_date,l.end_date) LIMIT 1),
  CASE WHEN st IN ('open','cancelled') THEN NULL ELSE
   CASE cat WHEN 'plumbing' THEN (ARRAY[1,1,3,3,1])[1+pg_temp.h(i,'c',5)] WHEN 'electrical' THEN (ARRAY[2,2,4])[1+pg_temp.h(i,'c',3)]
     WHEN 'heating' THEN (ARRAY[10,10,1,10])[1+pg_temp.h(i,'c',4)] WHEN 'appliances' THEN 7 WHEN 'pest control' THEN 6 WHEN 'doors and locks' THEN (ARRAY[9,5])[1+pg_temp.h(i,'c',2)]
     ELSE (ARRAY[8,5])[1+pg_temp.h(i,'c',2)] END END,
  cat, pr, st, rd,
  CASE WHEN st='completed' THEN rd + CASE pr WHEN 'urgent' THEN pg_temp.h(i,'dd',4) WHEN 'high' THEN 1+pg_temp.h(i,'dd',8) WHEN 'medium' THEN 3+pg_temp.h(i,'dd',17) ELSE 5+pg_temp.h(i,'dd',34) END END,
  CASE WHEN st='completed' AND pg_temp.h(i,'nc',14)>0 THEN 40 + pg_temp.h(i,'co',260) + CASE cat WHEN 'heating' THEN 140 WHEN 'roof and damp' THEN 310 WHEN 'plumbing' THEN 45 ELSE 0 END + pg_temp.h(i,'pence',4)*0.25 END
FROM (
  SELECT i, 1+pg_temp.h(i,'u',(SELECT count(*)::int-6 FROM units)) AS uid,
   date '2023-01-05' + (i*1085/380) AS rd,
   (ARRAY['plumbing','plumbing','plumbing','electrical','electrical','heating','heating','heating','appliances','appliances','doors and locks','pest control','roof and damp'])[1+pg_temp.h(i,'cat',13)] AS cat,
   (ARRAY['low','low','medium','medium','medium','medium','high','high','urgent'])[1+pg_temp.h(i,'pr',9)] AS pr,
   CASE WHEN pg_temp.h(i,'st',20)=0 THEN 'cancelled' WHEN i>345 AND pg_temp.h(i,'st',3)=0 THEN 'open' WHEN i>335 AND pg_temp.h(i,'st',3)=1 THEN 'in_progress' ELSE 'completed' END AS st
  FROM generate_series(1,380) i) q;

UPDATE maintenance_requests SET status='in_progress', completed_on=NULL, cost=NULL WHERE completed_on > date '2025-12-31';

INSERT INTO inspections
SELECT i, uid, CASE WHEN i%29=11 THEN NULL WHEN d < '2023-07-01' THEN 11+i%2 ELSE (ARRAY[11,11,12,12,12,13])[1+pg_temp.h(i,'in',6)] END,
  ty, d, CASE WHEN i%24=7 THEN NULL ELSE r END,
  CASE WHEN i%24=7 THEN true ELSE r>=3 END,
  CASE WHEN r<=2 AND i%24<>7 THEN (ARRAY['Damp in bathroom','Broken smoke alarm','Damage to walls','Poor state of cleanliness'])[1+pg_temp.h(i,'no',4)] WHEN pg_temp.h(i,'nn',4)=0 THEN 'Minor wear and tear' END
FROM (SELECT i, 1+pg_temp.h(i,'iu',(SELECT count(*)::int-3 FROM units)) AS uid,
   date '2023-01-16' + (i*1070/240) AS d,
   (ARRAY['routine','routine','routine','move_in','move_out','safety'])[1+pg_temp.h(i,'ty',6)] AS ty,
   (ARRAY[1,2,2,3,3,3,4,4,4,4,5,5,5])[1+pg_temp.h(i,'ra',13)] AS r
  FROM generate_series(1,240) i) q;
COMMIT;
