DROP SCHEMA IF EXISTS ferry CASCADE;
CREATE SCHEMA ferry;
SET search_path TO ferry;

CREATE FUNCTION ferry.h(k text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x' || substr(md5(k), 1, 7))::bit(28)::int) % n $$;

CREATE TABLE port (
  port_code char(3) PRIMARY KEY,
  port_name varchar(40) NOT NULL,
  country varchar(30) NOT NULL,
  berths smallint NOT NULL,
  has_vehicle_ramp boolean NOT NULL,
  harbour_fee numeric(8,2)
);
INSERT INTO port VALUES
('NCL','Newcastle','United Kingdom',4,true,1450.00),
('HUL','Hull','United Kingdom',5,true,1380.00),
('HRW','Harwich','United Kingdom',3,true,1225.00),
('DVR','Dover','United Kingdom',8,true,1890.00),
('PTM','Portsmouth','United Kingdom',6,true,1610.00),
('ABD','Aberdeen','United Kingdom',3,true,980.00),
('LER','Lerwick','United Kingdom',2,true,640.00),
('KWL','Kirkwall','United Kingdom',2,true,615.00),
('SCR','Scrabster','United Kingdom',1,false,NULL),
('CAL','Calais','France',9,true,1840.00),
('DKK','Dunkirk','France',5,true,1510.00),
('CHB','Cherbourg','France',4,true,1290.00),
('DPE','Dieppe','France',2,true,1010.00),
('AMS','Amsterdam','Netherlands',4,true,1720.00),
('HVH','Hook of Holland','Netherlands',3,true,1660.00),
('RTM','Rotterdam','Netherlands',7,true,1950.00),
('ZEE','Zeebrugge','Belgium',4,true,1475.00),
('OST','Ostend','Belgium',2,false,NULL),
('EBJ','Esbjerg','Denmark',3,true,1130.00),
('HIR','Hirtshals','Denmark',3,true,1085.00),
('KRS','Kristiansand','Norway',3,true,1245.00),
('BGO','Bergen','Norway',4,true,1530.00),
('SVG','Stavanger','Norway',2,true,1170.00),
('GOT','Gothenburg','Sweden',5,true,1405.00);

CREATE TABLE route (
  route_id int PRIMARY KEY,
  route_code varchar(7) NOT NULL UNIQUE,
  origin_port char(3) NOT NULL REFERENCES port(port_code),
  destination_port char(3) NOT NULL REFERENCES port(port_code),
  distance_nm numeric(6,1) NOT NULL,
  scheduled_minutes int NOT NULL,
  is_seasonal boolean NOT NULL,
  opened_on date NOT NULL,
  closed_on date
);
INSERT INTO route VALUES
(1,'DVR-CAL','DVR','CAL',22.4,90,false,'1998-04-01',NULL),
(2,'CAL-DVR','CAL','DVR',22.6,95,false,'1998-04-01',NULL),
(3,'DVR-DKK','DVR','DKK',38.9,120,false,'2003-06-15',NULL),
(4,'DKK-DVR','DKK','DVR',39.2,125,false,'2003-06-15',NULL),
(5,'NCL-AMS','NCL','AMS',271.0,945,false,'2001-03-10',NULL),
(6,'AMS-NCL','AMS','NCL',273.5,960,false,'2001-03-10',NULL),
(7,'HUL-RTM','HUL','RTM',205.0,660,false,'1999-09-01',NULL),
(8,'RTM-HUL','RTM','HUL',207.3,675,false,'1999-09-01',NULL),
(9,'HRW-HVH','HRW','HVH',118.0,410,false,'2005-02-20',NULL),
(10,'HVH-HRW','HVH','HRW',119.4,420,false,'2005-02-20',NULL),
(11,'PTM-CHB','PTM','CHB',81.5,300,false,'2007-05-01',NULL),
(12,'CHB-PTM','CHB','PTM',82.1,310,false,'2007-05-01',NULL),
(13,'HUL-ZEE','HUL','ZEE',208.8,780,false,'2000-11-05',NULL),
(14,'ZEE-HUL','ZEE','HUL',210.6,790,false,'2000-11-05','2023-12-31'),
(15,'ABD-LER','ABD','LER',179.0,750,false,'2011-01-15',NULL),
(16,'LER-ABD','LER','ABD',181.2,765,false,'2011-01-15',NULL),
(17,'ABD-KWL','ABD','KWL',107.0,360,false,'2012-04-10',NULL),
(18,'KWL-LER','KWL','LER',88.3,330,true,'2014-06-01',NULL),
(19,'HIR-KRS','HIR','KRS',71.9,195,false,'2009-03-25',NULL),
(20,'KRS-HIR','KRS','HIR',72.4,200,false,'2009-03-25',NULL),
(21,'HIR-BGO','HIR','BGO',305.7,1020,true,'2015-05-15',NULL),
(22,'SVG-HIR','SVG','HIR',182.5,630,true,'2016-05-20',NULL),
(23,'GOT-EBJ','GOT','EBJ',228.0,810,true,'2013-05-01','2022-09-30'),
(24,'HRW-EBJ','HRW','EBJ',338.4,1140,true,'2002-05-10','2023-09-15');

CREATE TABLE vessel (
  vessel_id int PRIMARY KEY,
  vessel_name varchar(40) NOT NULL,
  vessel_type varchar(15) NOT NULL,
  imo_number varchar(10) NOT NULL UNIQUE,
  flag_country varchar(30) NOT NULL,
  built_year smallint NOT NULL,
  passenger_capacity int NOT NULL,
  lane_metres int,
  max_speed_knots numeric(4,1),
  status varchar(10) NOT NULL
);
INSERT INTO vessel VALUES
(1,'Northern Star','RO-PAX','9210010','United Kingdom',2001,1200,1850,22.5,'ACTIVE'),
(2,'Channel Spirit','RO-PAX','9210022','United Kingdom',2004,1350,2010,23.0,'ACTIVE'),
(3,'Pride of Tyne','CRUISE','9210034','United Kingdom',1996,1650,1420,21.0,'ACTIVE'),
(4,'King Haakon','CRUISE','9210046','Norway',2008,1780,1510,21.8,'ACTIVE'),
(5,'Swift Gannet','FAST','9210058','United Kingdom',2010,620,410,38.0,'ACTIVE'),
(6,'Swift Tern','FAST','9210060','United Kingdom',2012,640,430,38.5,'ACTIVE'),
(7,'Humber Trader','FREIGHT','9210072','Netherlands',2006,60,3150,19.5,'ACTIVE'),
(8,'Scheldt Trader','FREIGHT','9210084','Netherlands',2007,48,3220,19.0,'ACTIVE'),
(9,'Skagerrak Queen','RO-PAX','9210096','Denmark',1999,980,1600,21.5,'ACTIVE'),
(10,'Jutland Belle','RO-PAX','9210108','Denmark',2014,1100,1750,22.0,'ACTIVE'),
(11,'Isle of Yell','RO-PAX','9210110','United Kingdom',2002,600,720,20.0,'ACTIVE'),
(12,'Isle of Hoy','RO-PAX','9210122','United Kingdom',2002,590,710,20.0,'REFIT'),
(13,'Dutch Lioness','CRUISE','9210134','Netherlands',2017,1920,1640,22.4,'ACTIVE'),
(14,'Cap Gris-Nez','RO-PAX','9210146','France',2011,1280,1930,23.5,'ACTIVE'),
(15,'Cotentin Rose','RO-PAX','9210158','France',1994,870,1150,19.8,'SOLD'),
(16,'Flanders Bridge','FREIGHT','9210160','Belgium',2015,72,3480,20.5,'ACTIVE'),
(17,'Bergen Fjord','CRUISE','9210172','Norway',2019,1540,1390,22.8,'ACTIVE'),
(18,'Old Harwich','RO-PAX','9210184','United Kingdom',1988,760,980,18.0,'LAID_UP'),
(19,'Swift Puffin','FAST','9210196','United Kingdom',2024,680,NULL,40.0,'ACTIVE'),
(20,'Baltic Merchant','FREIGHT','9210208','Sweden',1991,36,2700,17.5,'SOLD');

CREATE TABLE sailing (
  sailing_id int PRIMARY KEY,
  route_id int NOT NULL REFERENCES route(route_id),
  vessel_id int NOT NULL REFERENCES vessel(vessel_id),
  scheduled_departure timestamp NOT NULL,
  actual_departure timestamp,
  scheduled_arrival timestamp NOT NULL,
  actual_arrival timestamp,
  status varchar(10) NOT NULL,
  disruption_reason varchar(20)
);
INSERT INTO sailing
WITH a AS (
  SELECT i, date_trunc('day', timestamp '2022-01-02' + i * interval '13.1 hours')
         + (5 + ferry.h('hr'||i, 17)) * interval '1 hour' + (ferry.h('mi'||i, 4) * 15) * interval '1 minute' AS dep,
         1 + (ferry.h('rt'||i, 24) * (40 + ferry.h('rq'||i, 61)) / 100) AS r1,
         1 + ferry.h('rt2'||i, 24) AS r2, 1 + ferry.h('rt3'||i, 13) AS r3, ferry.h('rc'||i, 10) AS rc
  FROM generate_series(1, 2000) i
), b AS (
  SELECT a.*, CASE WHEN rc < 4 THEN r1 ELSE r2 END AS rr FROM a
), c AS (
  SELECT b.i, b.dep,
         CASE WHEN (r.is_seasonal AND extract(month FROM b.dep) NOT BETWEEN 5 AND 9) OR (r.closed_on IS NOT NULL AND b.dep::date > r.closed_on)
              THEN b.r3 ELSE b.rr END AS route_id
  FROM b JOIN route r ON r.route_id = b.rr
), d AS (
  SELECT c.i, c.dep, c.route_id, r.scheduled_minutes AS mins,
         CASE
           WHEN c.route_id IN (1,2,3,4) THEN (ARRAY[2,14,1,5,2,14])[1 + ferry.h('v'||c.i, 6)]
           WHEN c.route_id IN (5,6) THEN (ARRAY[3,4,3])[1 + ferry.h('v'||c.i, 3)]
           WHEN c.route_id IN (7,8) THEN (ARRAY[13,7,16,13])[1 + ferry.h('v'||c.i, 4)]
           WHEN c.route_id IN (9,10) THEN (ARRAY[13,1,10])[1 + ferry.h('v'||c.i, 3)]
           WHEN c.route_id IN (11,12) THEN CASE WHEN c.dep < '2023-04-01' THEN (ARRAY[15,6])[1 + ferry.h('v'||c.i, 2)] ELSE (ARRAY[6,6,14])[1 + ferry.h('v'||c.i, 3)] END
           WHEN c.route_id IN (13,14) THEN (ARRAY[7,8,16,8])[1 + ferry.h('v'||c.i, 4)]
           WHEN c.route_id IN (15,16,17,18) THEN CASE WHEN c.dep < '2024-10-01' THEN (ARRAY[11,12,11])[1 + ferry.h('v'||c.i, 3)] ELSE 11 END
           WHEN c.route_id IN (19,20) THEN (ARRAY[9,10,9,6])[1 + ferry.h('v'||c.i, 4)]
           WHEN c.route_id IN (21,22) THEN (ARRAY[17,4,17])[1 + ferry.h('v'||c.i, 3)]
           ELSE (ARRAY[10,4])[1 + ferry.h('v'||c.i, 2)] END AS vessel_id,
         ferry.h('cx'||c.i, 1000) AS cx, ferry.h('dl'||c.i, 100) AS dl, ferry.h('dm'||c.i, 170) AS dm, ferry.h('rs'||c.i, 100) AS rs
  FROM c JOIN route r USING (route_id)
), e AS (
  SELECT d.*,
    CASE WHEN cx < 25 + 6 * (CASE WHEN extract(month FROM dep) IN (11,12,1,2) THEN 9 ELSE 2 END) + (CASE WHEN route_id IN (15,16,17,18) THEN 45 ELSE 0 END) THEN 'CANCELLED'
         WHEN cx > 991 THEN 'DIVERTED' ELSE 'COMPLETED' END AS st,
    CASE WHEN dl < 50 THEN dl / 9
         WHEN dl < 50 + vessel_id THEN 6 + dm % 11
         ELSE 10 + dm * (6 + vessel_id % 7 + (route_id % 5)) / 12 END AS dmin
  FROM d
)
SELECT i, route_id, vessel_id, dep,
       CASE WHEN st <> 'CANCELLED' THEN dep + dmin * interval '1 minute' END,
       dep + mins * interval '1 minute',
       CASE WHEN st <> 'CANCELLED' THEN dep + (mins + dmin + (dm % 23) - 9 + CASE WHEN st = 'DIVERTED' THEN 95 + dm ELSE 0 END) * interval '1 minute' END,
       st,
       CASE WHEN st = 'CANCELLED' THEN (ARRAY['WEATHER','WEATHER','WEATHER','TECHNICAL','TECHNICAL','CREW SHORTAGE','LOW DEMAND'])[1 + rs % 7]
            WHEN st = 'DIVERTED' THEN (ARRAY['WEATHER','WEATHER','PORT CONGESTION'])[1 + rs % 3]
            WHEN dmin > 15 THEN (ARRAY['LATE LOADING','LATE LOADING','WEATHER','TECHNICAL','PORT CONGESTION','WEATHER','CREW SHORTAGE','CUSTOMS',NULL,'LATE LOADING','TECHNICAL'])[1 + rs % 11] END
FROM e;

CREATE TABLE customer (
  customer_id int PRIMARY KEY,
  customer_type varchar(10) NOT NULL,
  first_name varchar(30),
  last_name varchar(30),
  company_name varchar(60),
  city varchar(40),
  country varchar(30) NOT NULL,
  email varchar(80),
  loyalty_tier varchar(10),
  marketing_consent boolean NOT NULL,
  registered_on date NOT NULL
);
INSERT INTO customer
SELECT i,
  t,
  CASE WHEN t = 'PRIVATE' THEN fn END, CASE WHEN t = 'PRIVATE' THEN ln END,
  CASE WHEN t = 'BUSINESS' THEN (ARRAY['Aldgate','Brinkman','Carlsen','Dekker','Evertsen','Fairway','Gillespie','Holmgren','Iversen','Jarrow'])[1 + i % 10] || ' ' || (ARRAY['Haulage','Logistics','Foods','Transport','Builders','Events','Motors'])[1 + i % 7] || ' ' || (ARRAY['Ltd','BV','AS','GmbH','SA'])[1 + i / 70]
       WHEN t = 'AGENT' THEN (ARRAY['Bluewater','Compass','Horizon','Lantern','Meridian','Seagull','Tideline','Albatross','Polaris','Wayfarer','Saltway','Beacon','Gangway'])[1 + i % 13] || ' ' || (ARRAY['Travel','Tours','Holidays','Coaches'])[1 + i % 4] || (ARRAY['',' Group',' Partners',' Direct',' Plus',' Europe',' North'])[1 + i / 52] END,
  CASE WHEN ferry.h('cn'||i, 14) = 0 THEN NULL ELSE split_part(pl, '|', 1) END, split_part(pl, '|', 2),
  CASE WHEN ferry.h('em'||i, 9) = 0 THEN NULL ELSE lower(CASE WHEN t = 'PRIVATE' THEN fn || '.' || ln ELSE 'office' END) || i || '@' || (ARRAY['postbox.example','mailhub.example','seamail.example'])[1 + i % 3] END,
  CASE WHEN t <> 'PRIVATE' THEN NULL ELSE (ARRAY[NULL,NULL,NULL,'BRONZE','BRONZE','BRONZE','SILVER','SILVER','GOLD'])[1 + ferry.h('lt'||i, 9)] END,
  ferry.h('mc'||i, 10) < 6,
  date '2018-02-01' + ferry.h('rg'||i, 2400)
FROM (
  SELECT i,
    CASE WHEN ferry.h('ct'||i, 100) < 70 THEN 'PRIVATE' WHEN ferry.h('ct'||i, 100) < 90 THEN 'BUSINESS' ELSE 'AGENT' END AS t,
    (ARRAY['Anna','Bram','Clara','David','Elin','Frank','Greta','Harald','Ingrid','James','Karin','Lucas','Marie','Nils','Olivia','Pieter','Rosa'])[1 + i % 17] AS fn,
    (ARRAY['Andersen','Baker','Claes','Dubois','Eriksen','Fletcher','Garnier','Hansen','Ingram','Jansen','Kerr','Larsen','Moreau','Nilsson','Orr','Peeters','Quinn','Robson','Sinclair','Visser'])[1 + i % 20] AS ln,
    (ARRAY['London|United Kingdom','Leeds|United Kingdom','Newcastle|United Kingdom','Aberdeen|United Kingdom','York|United Kingdom','Lille|France','Paris|France','Rouen|France','Utrecht|Netherlands','Rotterdam|Netherlands','Haarlem|Netherlands','Ghent|Belgium','Bruges|Belgium','Aarhus|Denmark','Aalborg|Denmark','Bergen|Norway','Oslo|Norway','Gothenburg|Sweden','Hamburg|Germany','Cologne|Germany'])[1 + ferry.h('pl'||i, 20)] AS pl
  FROM generate_series(1, 320) i) q;

CREATE TABLE booking (
  booking_id int PRIMARY KEY,
  booking_ref varchar(8) NOT NULL UNIQUE,
  customer_id int NOT NULL REFERENCES customer(customer_id),
  sailing_id int NOT NULL REFERENCES sailing(sailing_id),
  booked_at timestamp NOT NULL,
  channel varchar(10) NOT NULL,
  fare_class varchar(10) NOT NULL,
  total_price numeric(10,2) NOT NULL,
  status varchar(10) NOT NULL,
  cancelled_at timestamp,
  refund_amount numeric(10,2)
);
INSERT INTO booking
SELECT 10000 + i, upper(substr(md5('ref'||i), 1, 6)),
  cu, s.sailing_id, bk,
  CASE WHEN c.customer_type = 'AGENT' THEN 'AGENT' ELSE (ARRAY['WEB','WEB','WEB','WEB','PHONE','PHONE','APP','APP','PORT'])[1 + ferry.h('ch'||i, 9)] END,
  fc,
  0,
  st,
  CASE WHEN st = 'CANCELLED' THEN least(bk + (ferry.h('ca'||i, 90) / 100.0) * (s.scheduled_departure - bk), s.scheduled_departure - interval '2 hours')::timestamp(0) END,
  NULL
FROM (
  SELECT i, 1 + (ferry.h('c1'||i, 320) * (20 + ferry.h('c2'||i, 80))) / 100 AS cu, 1 + ferry.h('sa'||i, 2000) AS sid
  FROM generate_series(1, 1400) i) q
JOIN sailing s ON s.sailing_id = q.sid
JOIN customer c ON c.customer_id = q.cu
CROSS JOIN LATERAL (SELECT (s.scheduled_departure - (1 + ferry.h('ld'||i, 11) * ferry.h('le'||i, 11)) * interval '1 day' - ferry.h('lh'||i, 600) * interval '1 minute')::timestamp(0) AS bk,
   (ARRAY['SAVER','SAVER','STANDARD','STANDARD','STANDARD','FLEX','PREMIUM'])[1 + ferry.h('fc'||i, 7)] AS fc,
   CASE WHEN s.status = 'CANCELLED' OR ferry.h('bs'||i, 100) < 9 THEN 'CANCELLED' WHEN ferry.h('bs'||i, 100) < 14 THEN 'NO_SHOW' ELSE 'CONFIRMED' END AS st) x;
UPDATE customer c SET registered_on = least(c.registered_on, b.d) FROM (SELECT customer_id, min(booked_at)::date AS d FROM booking GROUP BY 1) b WHERE b.customer_id = c.customer_id;

CREATE TABLE passenger (
  passenger_id int PRIMARY KEY,
  booking_id int NOT NULL REFERENCES booking(booking_id),
  full_name varchar(60) NOT NULL,
  age_group varchar(8) NOT NULL,
  nationality varchar(30),
  needs_assistance boolean NOT NULL,
  cabin_no varchar(6),
  checked_in_at timestamp
);
INSERT INTO passenger
SELECT row_number() OVER (ORDER BY b.booking_id, k), b.booking_id,
  (ARRAY['Agnes','Bo','Carl','Dora','Emil','Fiona','Gus','Hanna','Ivan','Julia','Kai','Lena','Max','Nora','Otto','Petra','Rolf','Siri','Tom','Una','Viktor','Wendy','Zoe'])[1 + ferry.h('pf'||b.booking_id||'-'||k, 23)] || ' ' ||
  COALESCE(c.last_name, (ARRAY['Adams','Berg','Cole','Dahl','Egan','Foss','Gray','Holm','Ives','Jones','Knox','Lund','Marsh','Noble'])[1 + ferry.h('pl'||b.booking_id||'-'||k, 14)]),
  CASE WHEN k = 1 THEN CASE WHEN ferry.h('pa'||b.booking_id, 6) = 0 THEN 'SENIOR' ELSE 'ADULT' END
       ELSE (ARRAY['ADULT','ADULT','CHILD','CHILD','ADULT','INFANT','SENIOR'])[1 + ferry.h('pb'||b.booking_id||'-'||k, 7)] END,
  CASE WHEN ferry.h('pn'||b.booking_id||'-'||k, 12) = 0 THEN NULL WHEN ferry.h('pm'||b.booking_id||'-'||k, 7) = 0 THEN (ARRAY['Spain','Poland','Italy','United States','Germany','Ireland'])[1 + ferry.h('po'||b.booking_id||'-'||k, 6)] ELSE c.country END,
  ferry.h('as'||b.booking_id||'-'||k, 17) = 0,
  CASE WHEN r.scheduled_minutes > 500 AND ferry.h('cb'||b.booking_id, 10) < 7 THEN (4 + ferry.h('cd'||b.booking_id, 5)) || lpad((1 + ferry.h('ce'||b.booking_id, 240))::text, 3, '0') END,
  CASE WHEN b.status = 'CONFIRMED' AND s.status <> 'CANCELLED' AND ferry.h('ck'||b.booking_id||'-'||k, 30) > 0 THEN s.scheduled_departure - (25 + ferry.h('cm'||b.booking_id||'-'||k, 110)) * interval '1 minute' END
FROM booking b JOIN sailing s USING (sailing_id) JOIN route r USING (route_id) JOIN customer c USING (customer_id)
CROSS JOIN LATERAL generate_series(1, CASE WHEN c.customer_type = 'BUSINESS' THEN 1 + ferry.h('np'||b.booking_id, 2) ELSE greatest(1, ferry.h('np'||b.booking_id, 3) + ferry.h('nq'||b.booking_id, 3)) END) k;

CREATE TABLE booked_vehicle (
  vehicle_id int PRIMARY KEY,
  booking_id int NOT NULL REFERENCES booking(booking_id),
  vehicle_type varchar(12) NOT NULL,
  plate_no varchar(10),
  length_m numeric(4,1) NOT NULL,
  height_m numeric(3,1),
  is_electric boolean NOT NULL,
  vehicle_fare numeric(8,2) NOT NULL
);
INSERT INTO booked_vehicle
SELECT row_number() OVER (ORDER BY booking_id), booking_id, vt,
  CASE WHEN ferry.h('pt'||booking_id, 15) = 0 THEN NULL ELSE upper(substr(md5('pl'||booking_id), 3, 2)) || '-' || lpad(ferry.h('pq'||booking_id, 10000)::text, 4, '0') END,
  CASE vt WHEN 'CAR' THEN 3.8 + ferry.h('vl'||booking_id, 14) / 10.0 WHEN 'VAN' THEN 5.0 + ferry.h('vl'||booking_id, 19) / 10.0 WHEN 'MOTORCYCLE' THEN 2.0 + ferry.h('vl'||booking_id, 5) / 10.0
    WHEN 'CAMPER' THEN 5.8 + ferry.h('vl'||booking_id, 27) / 10.0 WHEN 'COACH' THEN 11.0 + ferry.h('vl'||booking_id, 30) / 10.0 ELSE 12.0 + ferry.h('vl'||booking_id, 49) / 10.0 END,
  CASE WHEN ferry.h('vh'||booking_id, 8) = 0 THEN NULL WHEN vt IN ('LORRY','COACH') THEN 3.5 + ferry.h('vi'||booking_id, 8) / 10.0 WHEN vt IN ('VAN','CAMPER') THEN 2.3 + ferry.h('vi'||booking_id, 9) / 10.0 ELSE 1.3 + ferry.h('vi'||booking_id, 6) / 10.0 END,
  vt IN ('CAR','VAN') AND ferry.h('ve'||booking_id, 100) < CASE extract(year FROM booked_at) WHEN 2024 THEN 24 WHEN 2023 THEN 15 ELSE 8 END,
  round(((CASE vt WHEN 'CAR' THEN 48 WHEN 'VAN' THEN 74 WHEN 'MOTORCYCLE' THEN 21 WHEN 'CAMPER' THEN 92 WHEN 'COACH' THEN 180 ELSE 215 END) * (0.7 + sqrt(distance_nm) / 12) + ferry.h('vf'||booking_id, 2000) / 100.0)::numeric, 2)
FROM (
  SELECT b.booking_id, b.booked_at, r.distance_nm,
    CASE c.customer_type WHEN 'BUSINESS' THEN (ARRAY['LORRY','LORRY','VAN','LORRY','CAR'])[1 + ferry.h('vt'||b.booking_id, 5)]
      WHEN 'AGENT' THEN (ARRAY['COACH','CAR','COACH'])[1 + ferry.h('vt'||b.booking_id, 3)]
      ELSE (ARRAY['CAR','CAR','CAR','CAR','CAMPER','MOTORCYCLE','CAR','VAN'])[1 + ferry.h('vt'||b.booking_id, 8)] END AS vt
  FROM booking b JOIN sailing s USING (sailing_id) JOIN route r USING (route_id) JOIN customer c USING (customer_id)
  WHERE ferry.h('hv'||b.booking_id, 100) < 58) q;

UPDATE booking b SET total_price = round((
    (CASE b.fare_class WHEN 'SAVER' THEN 0.8 WHEN 'STANDARD' THEN 1.0 WHEN 'FLEX' THEN 1.3 ELSE 1.75 END) * (14 + 2.9 * sqrt(r.distance_nm)) * (1 + 0.04 * (extract(year FROM s.scheduled_departure) - 2022)::numeric)
     * COALESCE((SELECT sum(CASE age_group WHEN 'CHILD' THEN 0.5 WHEN 'INFANT' THEN 0 ELSE 1 END) FROM passenger p WHERE p.booking_id = b.booking_id), 1)
    + COALESCE((SELECT sum(vehicle_fare) FROM booked_vehicle v WHERE v.booking_id = b.booking_id), 0) + ferry.h('tp'||b.booking_id, 900) / 100.0)::numeric, 2)
FROM sailing s JOIN route r USING (route_id) WHERE s.sailing_id = b.sailing_id;
UPDATE booking b SET refund_amount = CASE WHEN s.status = 'CANCELLED' THEN b.total_price
    WHEN b.fare_class IN ('FLEX','PREMIUM') THEN round(b.total_price * 0.9, 2) WHEN b.fare_class = 'STANDARD' THEN round(b.total_price * 0.5, 2) ELSE NULL END
FROM sailing s WHERE s.sailing_id = b.sailing_id AND b.status = 'CANCELLED';

CREATE TABLE crew_member (
  crew_id int PRIMARY KEY,
  full_name varchar(60) NOT NULL,
  job_rank varchar(20) NOT NULL,
  department varchar(12) NOT NULL,
  home_port char(3) REFERENCES port(port_code),
  hired_on date NOT NULL,
  left_on date,
  monthly_salary numeric(8,2) NOT NULL,
  medical_expires_on date,
  supervisor_id int REFERENCES crew_member(crew_id)
);
INSERT INTO crew_member
SELECT i,
  (ARRAY['Arne','Birgit','Callum','Dirk','Eva','Fergus','Gerda','Hugh','Iris','Jonas','Kirsty'])[1 + i % 11] || ' ' || (ARRAY['Aksnes','Bell','Craig','De Vries','Ellingsen','Forbes','Groot','Haugen','Irvine','Kuiper','Lamb','Mackay','Nygaard'])[1 + i % 13],
  split_part(rk, '|', 1), split_part(rk, '|', 2),
  CASE WHEN ferry.h('hp'||i, 13) = 0 THEN NULL ELSE (ARRAY['DVR','HUL','NCL','RTM','ABD','HIR','PTM','CAL'])[1 + ferry.h('hq'||i, 8)] END,
  hd,
  CASE WHEN ferry.h('lf'||i, 7) = 0 THEN date '2022-03-01' + ferry.h('lg'||i, 1000) END,
  split_part(rk, '|', 3)::int + ferry.h('sl'||i, 90) * 10,
  CASE WHEN ferry.h('mx'||i, 15) = 0 THEN NULL ELSE date '2024-03-01' + ferry.h('my'||i, 900) END,
  NULL
FROM (SELECT i, (ARRAY['Master|DECK|7200','Chief Officer|DECK|5600','Second Officer|DECK|4500','Bosun|DECK|3300','Able Seaman|DECK|2600','Chief Engineer|ENGINE|6500','Second Engineer|ENGINE|4900','Motorman|ENGINE|2700','Purser|HOTEL|3500','Steward|HOTEL|2200','Cook|HOTEL|2500','Steward|HOTEL|2200','Able Seaman|DECK|2600'])[1 + (i - 1) % 13] AS rk,
   CASE WHEN i % 6 = 0 THEN date '2022-02-01' + ferry.h('hd'||i, 990) ELSE date '2006-01-10' + ferry.h('hd'||i, 5700) END AS hd
  FROM generate_series(1, 90) i) q;
UPDATE crew_member SET left_on = NULL WHERE left_on < hired_on + 120;
UPDATE crew_member c SET supervisor_id = (SELECT m.crew_id FROM crew_member m WHERE m.job_rank = CASE c.department WHEN 'DECK' THEN 'Master' WHEN 'ENGINE' THEN 'Chief Engineer' ELSE 'Purser' END ORDER BY ferry.h('sv'||c.crew_id||'-'||m.crew_id, 1000000) LIMIT 1)
WHERE job_rank NOT IN ('Master','Chief Engineer','Purser');

CREATE TABLE crew_duty (
  sailing_id int NOT NULL REFERENCES sailing(sailing_id),
  crew_id int NOT NULL REFERENCES crew_member(crew_id),
  hours_worked numeric(4,1) NOT NULL,
  overtime_hours numeric(4,1),
  PRIMARY KEY (sailing_id, crew_id)
);
INSERT INTO crew_duty
SELECT DISTINCT ON (s.sailing_id, c.crew_id) s.sailing_id, c.crew_id,
  round((least(12, 2 + r.scheduled_minutes / 80.0) + ferry.h('hw'||s.sailing_id||'-'||c.crew_id, 20) / 10.0)::numeric, 1),
  CASE WHEN ferry.h('ot'||s.sailing_id||'-'||c.crew_id, 5) = 0 THEN round((0.5 + ferry.h('ou'||s.sailing_id||'-'||c.crew_id, 30) / 10.0)::numeric, 1) END
FROM sailing s JOIN route r USING (route_id) CROSS JOIN generate_series(1, 2) k
JOIN crew_member c ON c.crew_id = 1 + (ferry.h('cr'||s.sailing_id||'-'||k, 90) * (50 + ferry.h('cs'||s.sailing_id||'-'||k, 50))) / 100
WHERE s.status <> 'CANCELLED' AND ferry.h('cw'||s.sailing_id||'-'||k, 100) < 84 AND s.scheduled_departure::date >= c.hired_on AND (c.left_on IS NULL OR s.scheduled_departure::date <= c.left_on)
ORDER BY s.sailing_id, c.crew_id, k;

CREATE TABLE onboard_sale (
  sale_id int PRIMARY KEY,
  sailing_id int NOT NULL REFERENCES sailing(sailing_id),
  outlet varchar(20) NOT NULL,
  product_group varchar(20) NOT NULL,
  sold_at timestamp NOT NULL,
  quantity int NOT NULL,
  amount numeric(8,2) NOT NULL,
  payment_method varchar(10)
);
INSERT INTO onboard_sale
SELECT row_number() OVER (ORDER BY i), sailing_id, split_part(og, '|', 1), split_part(og, '|', 2),
  (actual_departure + ((5 + ferry.h('st'||i, 80)) / 100.0) * (actual_arrival - actual_departure))::timestamp(0),
  q, round((q * (split_part(og, '|', 3)::numeric + ferry.h('sm'||i, 700) / 100.0)), 2),
  (ARRAY['CARD','CARD','CARD','CASH','MOBILE','VOUCHER',NULL])[1 + ferry.h('sp'||i, 7)]
FROM (SELECT i, 1 + ferry.h('ss'||i, 2000) AS sid, 1 + ferry.h('sq'||i, 4) AS q,
   (ARRAY['Restaurant|Hot meals|14','Restaurant|Hot meals|14','Restaurant|Wine|9','Cafe|Snacks|4','Cafe|Soft drinks|3','Cafe|Snacks|4','Bar|Beer|5','Bar|Spirits|8','Duty Free|Perfume|38','Duty Free|Spirits|24','Duty Free|Tobacco|31','Duty Free|Confectionery|7','Kiosk|Souvenirs|8','Kiosk|Magazines|4'])[1 + ferry.h('so'||i, 14)] AS og
   FROM generate_series(1, 3300) i) q
JOIN sailing s ON s.sailing_id = q.sid JOIN vessel v USING (vessel_id)
WHERE s.status <> 'CANCELLED' AND v.vessel_type <> 'FREIGHT' ;

CREATE TABLE maintenance_job (
  job_id int PRIMARY KEY,
  vessel_id int NOT NULL REFERENCES vessel(vessel_id),
  port_code char(3) REFERENCES port(port_code),
  job_type varchar(20) NOT NULL,
  contractor varchar(40),
  started_on date NOT NULL,
  planned_finish_on date NOT NULL,
  finished_on date,
  cost numeric(10,2)
);
INSERT INTO maintenance_job
SELECT i, ve, (ARRAY['HUL','RTM','NCL','GOT','ABD','BGO'])[1 + ferry.h('mp'||i, 6)], jt,
  CASE WHEN ferry.h('mk'||i, 8) = 0 THEN NULL ELSE (ARRAY['Tyne Marine','Damen Works','Nordverft','Humber Dock Services'])[1 + ferry.h('ml'||i, 4)] END,
  st, st + pl,
  CASE WHEN st < '2024-11-20' AND ferry.h('mu'||i, 25) > 0 THEN st + greatest(1, pl + ferry.h('mv'||i, 17) - 7) END,
  CASE WHEN st < '2024-11-20' AND ferry.h('mu'||i, 25) > 0 THEN round((CASE jt WHEN 'DRY DOCK' THEN 310000 WHEN 'ENGINE OVERHAUL' THEN 142000 WHEN 'HULL REPAIR' THEN 64000 WHEN 'INTERIOR REFIT' THEN 88000 ELSE 6500 END * (0.7 + ferry.h('mw'||i, 700) / 1000.0))::numeric, 2) END
FROM (SELECT i, 1 + ferry.h('mve'||i, 17) AS ve, date '2022-01-15' + ferry.h('mst'||i, 1060) AS st,
   CASE jt WHEN 'DRY DOCK' THEN 24 + ferry.h('mpl'||i, 14) WHEN 'ENGINE OVERHAUL' THEN 14 + ferry.h('mpl'||i, 9) WHEN 'INTERIOR REFIT' THEN 18 + ferry.h('mpl'||i, 12) WHEN 'HULL REPAIR' THEN 8 + ferry.h('mpl'||i, 8) ELSE 2 + ferry.h('mpl'||i, 3) END AS pl, jt
   FROM (SELECT i, (ARRAY['SAFETY INSPECTION','SAFETY INSPECTION','SAFETY INSPECTION','HULL REPAIR','ENGINE OVERHAUL','INTERIOR REFIT','DRY DOCK'])[1 + ferry.h('mjt'||i, 7)] AS jt FROM generate_series(1, 150) i) z) q
WHERE NOT (ve = 15 AND st > '2023-03-01');

DROP FUNCTION ferry.h(text, int);
