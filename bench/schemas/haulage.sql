-- A haulage company: shipments with codes for mode, status, service and reason of delay that look-up tables explain, parcels, stops, vehicles and invoices.
-- Keys are declared, but for the codes of status and of delay.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/haulage.sql
BEGIN;
DROP SCHEMA IF EXISTS haulage CASCADE;
CREATE SCHEMA haulage;
SET LOCAL search_path = haulage;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE mode_codes (mode_code text PRIMARY KEY, description text NOT NULL);
CREATE TABLE status_codes (status_code text PRIMARY KEY, description text NOT NULL);
CREATE TABLE service_levels (service_code text PRIMARY KEY, description text NOT NULL, promised_days int NOT NULL);
CREATE TABLE delay_reasons (reason_code text PRIMARY KEY, description text NOT NULL);
CREATE TABLE clients (client_id int PRIMARY KEY, company_name text NOT NULL, industry text NOT NULL, city text NOT NULL, state text NOT NULL, credit_limit numeric NOT NULL, created_at date NOT NULL);
CREATE TABLE depots (depot_code text PRIMARY KEY, city text NOT NULL, state text NOT NULL);
CREATE TABLE vehicles (vehicle_id int PRIMARY KEY, plate text NOT NULL, vehicle_type text NOT NULL, capacity_kg int NOT NULL, bought_on date NOT NULL, home_depot text NOT NULL REFERENCES depots);
CREATE TABLE drivers (driver_id int PRIMARY KEY, full_name text NOT NULL, licence_class text NOT NULL, hired_on date NOT NULL, depot_code text NOT NULL REFERENCES depots);
CREATE TABLE shipments (shipment_id int PRIMARY KEY, client_id int NOT NULL REFERENCES clients, origin_depot text NOT NULL REFERENCES depots, destination_depot text NOT NULL REFERENCES depots, mode_code text NOT NULL REFERENCES mode_codes, service_code text NOT NULL REFERENCES service_levels, status_code text NOT NULL, vehicle_id int REFERENCES vehicles, driver_id int REFERENCES drivers, ordered_at timestamp NOT NULL, promised_at date NOT NULL, shipped_at timestamp, delivered_at timestamp, distance_km int NOT NULL, reason_code text);
CREATE TABLE packages (package_id int PRIMARY KEY, shipment_id int NOT NULL REFERENCES shipments, weight_kg numeric NOT NULL, volume_m3 numeric NOT NULL, fragile boolean NOT NULL, declared_value numeric NOT NULL);
CREATE TABLE invoices (invoice_id int PRIMARY KEY, shipment_id int NOT NULL REFERENCES shipments, issued_on date NOT NULL, due_on date NOT NULL, paid_on date, amount numeric NOT NULL, fuel_surcharge numeric NOT NULL);

INSERT INTO mode_codes VALUES ('RD','Road'),('RL','Rail'),('AR','Air'),('SE','Sea');
INSERT INTO status_codes VALUES ('10','Booked'),('20','In transit'),('30','Delivered'),('40','Returned'),('50','Lost');
INSERT INTO service_levels VALUES ('EXP','Express',2),('STD','Standard',5),('ECO','Economy',9);
INSERT INTO delay_reasons VALUES ('WX','Bad weather'),('TR','Traffic'),('BR','Breakdown'),('CU','Customs'),('AD','Wrong address');
INSERT INTO clients SELECT i, n, (ARRAY['Retail','Automotive','Pharma','Food','Electronics'])[1 + pg_temp.pick(i,'in',5)], (ARRAY['Austin','Denver','Fresno','Dallas','Oakland','Boise'])[1 + i::int % 6], (ARRAY['Texas','Colorado','California','Texas','California','Idaho'])[1 + i::int % 6], 5000 * (1 + pg_temp.pick(i,'cl',20)), date '2016-02-01' + pg_temp.pick(i,'cr',2600)
  FROM unnest(ARRAY['Bright Foods','Carver Motors','Delta Pharma','Eastside Toys','Flint Electric','Grove Market','Harbor Parts','Ivory Labs','Juniper Goods','Kite Systems','Lumen Lighting','Maple Grocers','Northstar Auto','Opal Health','Pioneer Tools','Quartz Audio','Redwood Retail','Summit Organics','Tidal Tech','Umber Fabrics','Vertex Medical','Willow Bakery','Xenon Cells','Yarrow Herbs']) WITH ORDINALITY AS u(n, i);
INSERT INTO depots VALUES ('AUS','Austin','Texas'),('DEN','Denver','Colorado'),('FRE','Fresno','California'),('OAK','Oakland','California'),('BOI','Boise','Idaho');
INSERT INTO vehicles SELECT i, chr(65 + i % 26) || chr(65 + i % 7) || '-' || (1000 + pg_temp.pick(i,'pl',9000)), (ARRAY['Truck','Van','Trailer'])[1 + pg_temp.pick(i,'vt',3)], 1000 * (1 + pg_temp.pick(i,'cp',20)), date '2014-01-01' + pg_temp.pick(i,'bo',3300), (ARRAY['AUS','DEN','FRE','OAK','BOI'])[1 + i % 5] FROM generate_series(1, 34) AS i;
INSERT INTO drivers SELECT i, (ARRAY['Al','Bea','Cole','Dee','Ed','Faye','Gus'])[1 + i % 7] || ' ' || (ARRAY['Abbot','Boone','Cruz','Dale','Ellis','Frost','Gray','Hale','Irons'])[1 + i % 9], (ARRAY['B','C','CE'])[1 + pg_temp.pick(i,'lc',3)], date '2010-05-01' + pg_temp.pick(i,'hi',4700), (ARRAY['AUS','DEN','FRE','OAK','BOI'])[1 + pg_temp.pick(i,'dd',5)] FROM generate_series(1, 41) AS i;
INSERT INTO shipments SELECT i, 1 + pg_temp.pick(i,'cl',23), (ARRAY['AUS','DEN','FRE','OAK','BOI'])[1 + o], (ARRAY['AUS','DEN','FRE','OAK','BOI'])[1 + (o + 1 + pg_temp.pick(i,'ds',4)) % 5], (ARRAY['RD','RD','RD','RL','AR'])[1 + pg_temp.pick(i,'mo',5)], s, st, CASE WHEN st <> '10' THEN 1 + pg_temp.pick(i,'ve',31) END, CASE WHEN st <> '10' THEN 1 + pg_temp.pick(i,'dr',38) END, t, t::date + p, CASE WHEN st <> '10' THEN sh END,
  CASE WHEN st IN ('30','40') THEN dl END, 80 + pg_temp.pick(i,'km',2400), CASE WHEN st IN ('30','40') AND dl::date > t::date + p THEN (ARRAY['WX','TR','TR','BR','CU','AD'])[1 + pg_temp.pick(i,'rc',6)] END
  FROM generate_series(1, 1300) AS i, LATERAL (SELECT pg_temp.pick(i,'or',5) AS o, (ARRAY['EXP','STD','STD','ECO'])[1 + pg_temp.pick(i,'sv',4)] AS s, (ARRAY['30','30','30','30','30','30','30','20','10','40','50'])[1 + pg_temp.pick(i,'st',11)] AS st, timestamp '2022-01-04 06:00' + make_interval(mins => pg_temp.pick(i,'ot',1540000)) AS t) AS a,
  LATERAL (SELECT (CASE s WHEN 'EXP' THEN 2 WHEN 'STD' THEN 5 ELSE 9 END) AS p, t + make_interval(hours => 2 + pg_temp.pick(i,'sh',40)) AS sh) AS b, LATERAL (SELECT sh + make_interval(hours => 8 + pg_temp.pick(i,'dl',p * 24)) AS dl) AS c;
INSERT INTO packages SELECT row_number() OVER (ORDER BY shipment_id, k)::int, shipment_id, 1 + pg_temp.pick(shipment_id * 6 + k,'wt',4000) / 10.0, 0.1 + pg_temp.pick(shipment_id * 6 + k,'vo',300) / 100.0, pg_temp.pick(shipment_id * 6 + k,'fr',4) = 0, 20 + pg_temp.pick(shipment_id * 6 + k,'dv',5000) FROM shipments, LATERAL generate_series(1, 1 + pg_temp.pick(shipment_id,'np',3) / 2) AS k;
INSERT INTO invoices SELECT row_number() OVER (ORDER BY shipment_id)::int, shipment_id, d, d + 30, CASE WHEN pg_temp.pick(shipment_id,'pd',9) > 0 THEN d + 4 + pg_temp.pick(shipment_id,'pt',45) END, round(50 + distance_km * 0.8 + pg_temp.pick(shipment_id,'am',400), 2), round(distance_km * 0.05, 2) FROM shipments, LATERAL (SELECT ordered_at::date + 3 AS d) AS x WHERE status_code <> '10';
ANALYZE mode_codes; ANALYZE status_codes; ANALYZE service_levels; ANALYZE delay_reasons; ANALYZE clients; ANALYZE depots; ANALYZE vehicles; ANALYZE drivers; ANALYZE shipments; ANALYZE packages; ANALYZE invoices;
COMMIT;
