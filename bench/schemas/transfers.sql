-- Football transfers as a fan collected them: short table and column names, nationalities as countries, positions, leagues and transfer
-- windows as codes, seasons as text, dates of birth day first, fees in millions that are often missing, no key declared, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/transfers.sql
BEGIN;
DROP SCHEMA IF EXISTS transfers CASCADE;
CREATE SCHEMA transfers;
SET LOCAL search_path = transfers;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE lg (lg_cd text, lg_nm text, ctry text, tier int);
CREATE TABLE clb (clb_id int, clb_nm text, lg_cd text, cty text, fnd_yr int, stdm text, cap int, mgr text);
CREATE TABLE pos (pos_cd text, pos_desc text, ln text);
CREATE TABLE plyr (plyr_id int, plyr_nm text, dob text, natl text, pos_cd text, ft text, hgt_cm int, cur_clb_id int, mkt_val_m numeric(6,2), ctr_end_yr int, agt text);
CREATE TABLE trnsf (trnsf_id int, plyr_id int, from_clb int, to_clb int, ssn text, wndw text, trnsf_dt text, fee_m numeric(6,2), typ text);
CREATE TABLE appr (plyr_id int, clb_id int, ssn text, gms int, gls int, asts int, yc int, rc int, mins int);

INSERT INTO lg VALUES ('ENG1','Premier League','England',1),('ENG2','Championship','England',2),('ESP1','La Liga','Spain',1),('GER1','Bundesliga','Germany',1),('ITA1','Serie A','Italy',1),('FRA1','Ligue 1','France',1),('FRA2','Ligue 2','France',2);
INSERT INTO clb SELECT i, n, l, c, 1875 + pg_temp.pick(i,'fy',60) + i, CASE WHEN i % 9 = 4 THEN NULL ELSE c || ' ' || (ARRAY['Arena','Park','Stadium'])[1 + i % 3] END, 9000 + 1000 * pg_temp.pick(i,'cp',70) + 17 * i,
  (ARRAY['M. Keane','L. Rossi','J. Duval','P. Ortega','K. Brandt','S. Walsh'])[1 + i % 6] || CASE WHEN i > 12 THEN ' Jr' ELSE '' END
  FROM (VALUES (1,'Kingsford United','ENG1','Kingsford'),(2,'Westhaven','ENG1','Westhaven'),(3,'Redbridge City','ENG1','Redbridge'),(4,'Ashby Town','ENG2','Ashby'),(5,'Norland Rovers','ENG2','Norland'),(6,'Real Almera','ESP1','Almera'),(7,'CD Toral','ESP1','Toral'),
  (8,'SV Hagenau','GER1','Hagenau'),(9,'Eintracht Rheinfeld','GER1','Rheinfeld'),(10,'FC Lindburg','GER1','Lindburg'),(11,'AC Verona Nord','ITA1','Verona'),(12,'US Portello','ITA1','Portello'),(13,'Olympique Sabran','FRA1','Sabran'),(14,'AS Carvel','FRA1','Carvel'),(15,'Stade Morlain','FRA2','Morlain')) AS v(i, n, l, c);
INSERT INTO pos VALUES ('GK','Goalkeeper','Goal'),('CB','Centre-Back','Defence'),('LB','Left-Back','Defence'),('RB','Right-Back','Defence'),('DM','Defensive Midfield','Midfield'),('CM','Central Midfield','Midfield'),('AM','Attacking Midfield','Midfield'),('LW','Left Winger','Attack'),('RW','Right Winger','Attack'),('CF','Centre-Forward','Attack');
INSERT INTO plyr SELECT i, (ARRAY['Adam','Bilal','Carlos','Diego','Emre','Felix','Gabriel','Hugo','Ivan','Joao','Karim','Lukas','Mateo','Noah','Oscar','Pavel','Rafael'])[1 + i % 17] || ' ' ||
  (ARRAY['Alvarez','Benali','Conti','Dubois','Ekström','Fischer','Gomes','Hughes','Ilic','Jansen','Kovac','Lambert','Moreno'])[1 + i % 13] || CASE WHEN i > 221 THEN ' II' ELSE '' END,
  to_char(date '1984-01-15' + pg_temp.pick(i,'db',7600), 'DD/MM/YYYY'), (ARRAY['France','Brazil','Spain','Germany','England','Italy','Argentina','Portugal','Netherlands','Sweden','Turkey','Morocco','Croatia','France','Brazil'])[1 + pg_temp.pick(i,'na',15)],
  (ARRAY['GK','CB','CB','LB','RB','DM','CM','CM','AM','LW','RW','CF','CF'])[1 + pg_temp.pick(i,'po',13)], CASE WHEN i % 19 = 0 THEN NULL ELSE (ARRAY['R','R','R','L','B'])[1 + pg_temp.pick(i,'ft',5)] END, 165 + pg_temp.pick(i,'hg',34),
  CASE WHEN i % 14 = 0 THEN NULL ELSE 1 + pg_temp.pick(i,'cc',15) END, round((pg_temp.pick(i,'mv',900) + i) / 10.0 + 0.05, 2), CASE WHEN i % 14 > 0 THEN 2024 + pg_temp.pick(i,'ce',5) END,
  CASE WHEN i % 5 > 0 THEN (ARRAY['Gestifute','Stellar','Unique Sports','Base','Relatives'])[1 + pg_temp.pick(i,'ag',5)] END FROM generate_series(1, 260) AS i;
INSERT INTO trnsf SELECT i, 1 + pg_temp.pick(i,'tp',245), f, 1 + (f + pg_temp.pick(i,'tt',14)) % 15, s || '/' || lpad(((s + 1) % 100)::text, 2, '0'), w, CASE w WHEN 'S' THEN s || '-0' || (6 + pg_temp.pick(i,'tm',3)) || '-' || lpad((1 + pg_temp.pick(i,'td',28))::text, 2, '0') ELSE s + 1 || '-01-' || lpad((1 + pg_temp.pick(i,'td',28))::text, 2, '0') END,
  CASE t WHEN 'P' THEN CASE WHEN i % 8 > 0 THEN round((pg_temp.pick(i,'fe',700) + i) / 10.0 + 0.03, 2) END WHEN 'F' THEN 0 END, t
  FROM (SELECT i, 1 + pg_temp.pick(i,'tf',15) AS f, 2016 + pg_temp.pick(i,'ts',7) AS s, (ARRAY['S','S','W'])[1 + pg_temp.pick(i,'tw',3)] AS w, (ARRAY['P','P','P','L','L','F'])[1 + pg_temp.pick(i,'ty',6)] AS t FROM generate_series(1, 520) AS i) AS x;
INSERT INTO appr SELECT i, c, s || '/' || lpad(((s + 1) % 100)::text, 2, '0'), g, pg_temp.pick(i * 10 + s,'gl',g + 1) / 2, pg_temp.pick(i * 10 + s,'as',12), pg_temp.pick(i * 10 + s,'yc',11), CASE WHEN pg_temp.pick(i * 10 + s,'rc',12) = 0 THEN 1 ELSE 0 END, g * (40 + pg_temp.pick(i * 10 + s,'mi',50))
  FROM (SELECT i, s, 1 + pg_temp.pick(i * 10 + s,'ac',15) AS c, 1 + pg_temp.pick(i * 10 + s,'gm',38) AS g FROM generate_series(1, 260) AS i, generate_series(2019, 2022) AS s WHERE pg_temp.pick(i * 10 + s,'ax',5) > 0) AS x;
ANALYZE lg; ANALYZE clb; ANALYZE pos; ANALYZE plyr; ANALYZE trnsf; ANALYZE appr;
COMMIT;
