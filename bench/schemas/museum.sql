-- An art museum and its shop, as a careful database designer would make it: plain names, declared keys, comments, lookup tables. Data of 2022 to 2024.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/museum.sql
BEGIN;
DROP SCHEMA IF EXISTS museum CASCADE;
CREATE SCHEMA museum;
SET LOCAL search_path = museum;

CREATE FUNCTION pg_temp.h(s text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x'||substr(md5(s),1,7))::bit(28)::int) % n $$;

CREATE TABLE membership_level (
  membership_level_id smallint PRIMARY KEY,
  name text NOT NULL UNIQUE,
  annual_fee numeric(8,2) NOT NULL CHECK (annual_fee >= 0),
  guest_passes smallint NOT NULL,
  shop_discount_percent smallint NOT NULL
);
COMMENT ON TABLE membership_level IS 'Kinds of membership that the museum offers';
COMMENT ON COLUMN membership_level.guest_passes IS 'Free guest entries per membership year';

CREATE TABLE member (
  member_id integer PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text UNIQUE,
  city text NOT NULL,
  birth_date date,
  membership_level_id smallint NOT NULL REFERENCES membership_level,
  joined_on date NOT NULL,
  cancelled_on date CHECK (cancelled_on > joined_on)
);
COMMENT ON TABLE member IS 'People who are or were members of the museum';
COMMENT ON COLUMN member.email IS 'Empty when the member gave no address';
COMMENT ON COLUMN member.cancelled_on IS 'Day the membership was cancelled; empty while it runs';

CREATE TABLE staff (
  staff_id integer PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  job_title text NOT NULL CHECK (job_title IN ('Director','Curator','Guide','Conservator','Registrar','Shop assistant')),
  hired_on date NOT NULL,
  left_on date,
  manager_id integer REFERENCES staff
);
COMMENT ON COLUMN staff.left_on IS 'Last working day; empty for people who still work here';
COMMENT ON COLUMN staff.manager_id IS 'The staff member this person reports to';

CREATE TABLE exhibition (
  exhibition_id integer PRIMARY KEY,
  title text NOT NULL UNIQUE,
  gallery text NOT NULL,
  curator_id integer NOT NULL REFERENCES staff (staff_id),
  opens_on date NOT NULL,
  closes_on date CHECK (closes_on > opens_on),
  budget numeric(12,2)
);
COMMENT ON COLUMN exhibition.closes_on IS 'Last day; empty for permanent exhibitions';
COMMENT ON COLUMN exhibition.budget IS 'Planned cost in euros; empty for permanent exhibitions';

CREATE TABLE artist (
  artist_id integer PRIMARY KEY,
  name text NOT NULL UNIQUE,
  nationality text NOT NULL,
  birth_year smallint,
  death_year smallint CHECK (death_year > birth_year)
);
COMMENT ON COLUMN artist.death_year IS 'Empty for living artists';

CREATE TABLE artwork (
  artwork_id integer PRIMARY KEY,
  accession_number text NOT NULL UNIQUE,
  title text NOT NULL,
  artist_id integer REFERENCES artist,
  medium text NOT NULL,
  year_created smallint,
  acquired_on date NOT NULL,
  acquisition_method text NOT NULL CHECK (acquisition_method IN ('purchase','gift','bequest','transfer')),
  insured_value numeric(12,2) NOT NULL,
  on_display boolean NOT NULL
);
COMMENT ON TABLE artwork IS 'Works that the museum owns';
COMMENT ON COLUMN artwork.artist_id IS 'Empty when the artist is unknown';
COMMENT ON COLUMN artwork.insured_value IS 'Euros';
COMMENT ON COLUMN artwork.on_display IS 'False when the work is in storage or away';

CREATE TABLE exhibition_artwork (
  exhibition_id integer REFERENCES exhibition,
  artwork_id integer REFERENCES artwork,
  PRIMARY KEY (exhibition_id, artwork_id)
);
COMMENT ON TABLE exhibition_artwork IS 'Which own works were shown in which exhibition';

CREATE TABLE institution (
  institution_id integer PRIMARY KEY,
  name text NOT NULL UNIQUE,
  city text NOT NULL,
  country text NOT NULL
);
COMMENT ON TABLE institution IS 'Other museums that borrow works from us';

CREATE TABLE loan (
  loan_id integer PRIMARY KEY,
  artwork_id integer NOT NULL REFERENCES artwork,
  institution_id integer NOT NULL REFERENCES institution,
  starts_on date NOT NULL,
  due_on date NOT NULL CHECK (due_on > starts_on),
  returned_on date,
  fee numeric(10,2) NOT NULL
);
COMMENT ON TABLE loan IS 'Own works lent to another institution';
COMMENT ON COLUMN loan.returned_on IS 'Day the work came back; empty while it is still out';

CREATE TABLE ticket_type (
  ticket_type_id smallint PRIMARY KEY,
  name text NOT NULL UNIQUE,
  list_price numeric(6,2) NOT NULL,
  persons smallint NOT NULL
);
COMMENT ON COLUMN ticket_type.persons IS 'How many visitors one ticket admits';

CREATE TABLE ticket_sale (
  ticket_sale_id integer PRIMARY KEY,
  ticket_type_id smallint NOT NULL REFERENCES ticket_type,
  exhibition_id integer REFERENCES exhibition,
  member_id integer REFERENCES member,
  sold_at timestamp NOT NULL,
  visit_date date NOT NULL,
  quantity smallint NOT NULL CHECK (quantity > 0),
  unit_price numeric(6,2) NOT NULL,
  sales_channel text NOT NULL CHECK (sales_channel IN ('online','desk','phone','partner')),
  refunded boolean NOT NULL DEFAULT false
);
COMMENT ON COLUMN ticket_sale.exhibition_id IS 'Special exhibition the ticket is for; empty for general admission';
COMMENT ON COLUMN ticket_sale.member_id IS 'Set when a member bought the tickets';
COMMENT ON COLUMN ticket_sale.unit_price IS 'Price paid per ticket, in euros';
COMMENT ON COLUMN ticket_sale.refunded IS 'True when the whole sale was paid back';

CREATE TABLE guided_tour (
  guided_tour_id integer PRIMARY KEY,
  theme text NOT NULL,
  language text NOT NULL,
  guide_id integer NOT NULL REFERENCES staff (staff_id),
  starts_at timestamp NOT NULL,
  duration_minutes smallint NOT NULL,
  capacity smallint NOT NULL,
  participants smallint NOT NULL CHECK (participants <= capacity),
  price_per_person numeric(6,2) NOT NULL,
  cancelled boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE guided_tour IS 'One row for each tour on the calendar';
COMMENT ON COLUMN guided_tour.participants IS 'People who came; 0 for cancelled tours';

CREATE TABLE donation (
  donation_id integer PRIMARY KEY,
  member_id integer REFERENCES member,
  donated_on date NOT NULL,
  amount numeric(10,2) NOT NULL CHECK (amount > 0),
  campaign text,
  payment_method text NOT NULL
);
COMMENT ON COLUMN donation.member_id IS 'Empty when the donor is not a member';
COMMENT ON COLUMN donation.campaign IS 'Fundraising campaign; empty for donations without a purpose';

CREATE TABLE product (
  product_id integer PRIMARY KEY,
  name text NOT NULL UNIQUE,
  category text NOT NULL,
  price numeric(8,2) NOT NULL,
  unit_cost numeric(8,2) NOT NULL,
  discontinued boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE product IS 'Articles of the museum shop';

CREATE TABLE shop_sale (
  shop_sale_id integer PRIMARY KEY,
  sold_at timestamp NOT NULL,
  member_id integer REFERENCES member,
  cashier_id integer NOT NULL REFERENCES staff (staff_id),
  payment_method text NOT NULL CHECK (payment_method IN ('card','cash','voucher'))
);
COMMENT ON TABLE shop_sale IS 'One row for each receipt of the museum shop';

CREATE TABLE shop_sale_line (
  shop_sale_id integer REFERENCES shop_sale,
  line_number smallint,
  product_id integer NOT NULL REFERENCES product,
  quantity smallint NOT NULL CHECK (quantity > 0),
  unit_price numeric(8,2) NOT NULL,
  PRIMARY KEY (shop_sale_id, line_number)
);
COMMENT ON COLUMN shop_sale_line.unit_price IS 'Price charged per piece, after any member discount';

INSERT INTO membership_level VALUES
 (1,'Student',25,0,5),(2,'Individual',55,2,10),(3,'Family',90,4,10),(4,'Patron',250,10,15),(5,'Benefactor',1000,25,20);

INSERT INTO member
SELECT i, f, l,
       CASE WHEN pg_temp.h('em'||i,12) > 0 THEN lower(f||'.'||l)||i||'@'||(ARRAY['mail.example','post.example','inbox.example'])[1+pg_temp.h('dom'||i,3)] END,
       (ARRAY['Ghent','Ghent','Ghent','Ghent','Bruges','Bruges','Antwerp','Antwerp','Antwerp','Brussels','Brussels','Leuven','Kortrijk','Aalst','Lille'])[1+pg_temp.h('city'||i,15)],
       CASE WHEN pg_temp.h('bd?'||i,10) > 0 THEN date '1940-01-01' + pg_temp.h('bd'||i,24000) END,
       (ARRAY[1,1,1,2,2,2,2,2,2,3,3,3,3,4,4])[1+pg_temp.h('lvl'||i,15)] + CASE WHEN pg_temp.h('ben'||i,25)=0 THEN 1 ELSE 0 END,
       j, CASE WHEN pg_temp.h('can?'||i,7)=0 THEN j + 60 + pg_temp.h('can'||i, (date '2024-12-20' - j - 60)) END
FROM (SELECT i, (ARRAY['Anna','Lucas','Emma','Noah','Marie','Louis','Elise','Arthur','Nora','Jules','Lotte','Victor','Hanne','Simon','Julie','Thomas','Sofie','Pieter','Laura','Wout','Ines','Bram','Clara','Hugo','Sara','Daan','Lena','Kobe','Eva','Jan'])[1+pg_temp.h('fn'||i,30)] f,
        (ARRAY['Peeters','Janssens','Maes','Jacobs','Mertens','Willems','Claes','Goossens','Wouters','Dubois','Lambert','Martens','Hermans','Lemmens','Pauwels','Declercq','Baert','Vermeulen','Aerts','Smets','Michiels','Desmet','Moens','Thijs','Bogaert','Leroy','Simons','Coppens','Renard','Segers'])[1+pg_temp.h('ln'||i,30)] l,
        date '2019-01-05' + pg_temp.h('jo'||i,2070) j
      FROM generate_series(1,420) i) x;

INSERT INTO staff VALUES
 (1,'Helena','Vos','Director','2014-03-01',NULL,NULL),
 (2,'Marc','Tanghe','Curator','2012-09-01',NULL,1),
 (3,'Ilse','De Wilde','Curator','2016-01-15',NULL,1),
 (4,'Youssef','Amrani','Curator','2018-05-02',NULL,1),
 (5,'Greet','Callens','Curator','2009-02-01','2023-06-30',1),
 (6,'Paul','Verhaegen','Curator','2020-10-01',NULL,2),
 (7,'Rosa','Jimenez','Curator','2023-08-15',NULL,2),
 (8,'Tom','Baeke','Guide','2015-04-01',NULL,3),
 (9,'Nadia','El Idrissi','Guide','2017-06-12',NULL,3),
 (10,'Sven','Roels','Guide','2019-02-01','2023-12-31',3),
 (11,'Katrien','Lanoye','Guide','2019-09-16',NULL,3),
 (12,'Olivier','Masson','Guide','2021-03-08',NULL,3),
 (13,'Mei','Chen','Guide','2021-11-02',NULL,3),
 (14,'Dirk','Hoste','Guide','2022-01-03',NULL,3),
 (15,'Amelie','Girard','Guide','2022-05-23',NULL,3),
 (16,'Ruben','Stevens','Guide','2024-10-01',NULL,3),
 (17,'Lies','Van Acker','Conservator','2011-01-10',NULL,1),
 (18,'Jonas','Weber','Conservator','2019-07-01',NULL,17),
 (19,'Fatima','Benali','Conservator','2022-02-14',NULL,17),
 (20,'Koen','Dierickx','Registrar','2013-11-04',NULL,1),
 (21,'Bea','Lauwers','Registrar','2020-06-15','2024-03-31',20),
 (22,'Stijn','Maertens','Shop assistant','2018-03-19',NULL,1),
 (23,'Chloe','Petit','Shop assistant','2020-08-03',NULL,22),
 (24,'Yara','Haddad','Shop assistant','2021-09-20',NULL,22),
 (25,'Niels','Cools','Shop assistant','2022-01-10','2023-09-15',22),
 (26,'Wim','Ketels','Shop assistant','2023-09-18',NULL,22);

INSERT INTO exhibition VALUES
 (1,'Masters of the Collection','Gallery 1',2,'2015-05-01',NULL,NULL),
 (2,'Silver and Glass','Gallery 2',5,'2017-03-18',NULL,NULL),
 (3,'City in Prints','Gallery 3',3,'2019-10-05',NULL,NULL),
 (4,'Light over Flanders','North Wing',2,'2021-11-20','2022-04-17',185000),
 (5,'Paper Worlds','South Wing',3,'2022-02-05','2022-05-29',62000),
 (6,'Women of the Avant-Garde','North Wing',4,'2022-05-14','2022-10-02',240000),
 (7,'Salt and Sea','South Wing',5,'2022-06-18','2022-09-25',78500),
 (8,'Faces of the Harbour','South Wing',6,'2022-10-15','2023-01-29',54000),
 (9,'Gold before Columbus','North Wing',2,'2022-10-29','2023-03-26',310000),
 (10,'The Quiet Room','Pavilion',3,'2022-11-12','2023-02-26',28000),
 (11,'Machines and Dreams','South Wing',4,'2023-02-18','2023-06-11',97000),
 (12,'Textile Stories','Pavilion',5,'2023-03-11','2023-06-25',41500),
 (13,'Impressions of the North','North Wing',2,'2023-04-22','2023-09-17',275000),
 (14,'Concrete Poetry','Pavilion',6,'2023-07-08','2023-10-29',33000),
 (15,'Animals in Art','South Wing',3,'2023-07-01','2023-11-12',88000),
 (16,'Night Pieces','North Wing',4,'2023-10-14','2024-02-25',198000),
 (17,'Young Ghent 2023','Pavilion',7,'2023-11-18','2024-02-11',24500),
 (18,'Stone, Bronze, Wood','South Wing',6,'2023-12-02','2024-04-14',112000),
 (19,'Gardens of Paradise','North Wing',7,'2024-03-23','2024-08-25',262000),
 (20,'Letters to Theo','Pavilion',3,'2024-03-09','2024-06-16',47000),
 (21,'Electric Century','South Wing',4,'2024-05-18','2024-09-29',134000),
 (22,'Portraits of Power','North Wing',2,'2024-09-28','2025-02-23',295000),
 (23,'Small Wonders','Pavilion',6,'2024-07-13','2024-11-17',36000),
 (24,'After the Flood','South Wing',7,'2024-10-26','2025-03-02',91000);

INSERT INTO artist
SELECT i, (ARRAY['Adriaan','Berthe','Cornelis','Dora','Emile','Frida','Gaston','Hilde','Isidoor','Jeanne','Karel','Louise'])[1+(i-1)%12]||' '||
       (ARRAY['van Loo','Marchetti','Okafor','Lindqvist','de Backer','Moreau'])[1+((i-1)/12)%6]||CASE WHEN i=31 THEN ' the Younger' ELSE '' END,
       (ARRAY['Belgian','Italian','Nigerian','Swedish','Dutch','French'])[1+((i-1)/12)%6],
       b, CASE WHEN b < 1930 THEN b + 28 + pg_temp.h('dy'||i,60) WHEN b < 1950 AND i%2=0 THEN b + 50 + pg_temp.h('dy'||i,20) END
FROM (SELECT i, 1560 + pg_temp.h('by'||i, 220)*CASE WHEN i%4=0 THEN 1 ELSE 0 END + CASE WHEN i%4<>0 THEN 250 + pg_temp.h('bz'||i,180) ELSE 0 END AS b FROM generate_series(1,70) i) x;

INSERT INTO artwork
SELECT i, extract(year FROM aq)::int||'.'||lpad(i::text,3,'0'),
       (ARRAY['Winter','Harbour','Blue','Silent','Broken','Evening','Red','Sleeping','Lost','Golden','Morning','Empty'])[1+pg_temp.h('t1'||i,12)]||' '||
       (ARRAY['Landscape','Portrait','Still Life','Figure','Garden','Market','River','Interior','Study','Composition','Procession'])[1+pg_temp.h('t2'||i,11)],
       CASE WHEN yc IS NOT NULL THEN aid END, med, coalesce(yc, CASE WHEN i%3=0 THEN 1500 + pg_temp.h('uy'||i,300) END), aq,
       (ARRAY['purchase','purchase','purchase','gift','gift','bequest','transfer'])[1+pg_temp.h('am'||i,7)],
       round((800 + power(pg_temp.h('iv'||i,1000)/100.0, 5.2) * CASE WHEN med='Oil on canvas' THEN 6 WHEN med='Sculpture' THEN 3 ELSE 1 END)::numeric, -2),
       pg_temp.h('od'||i,100) < 42
FROM (SELECT i, aid, yc, med, greatest(aq0, make_date(yc,3,1) + pg_temp.h('aqy'||i,600)) AS aq FROM
       (SELECT i, a.artist_id aid, CASE WHEN pg_temp.h('unk'||i,12)>0 THEN birth_year + 20 + pg_temp.h('yc'||i, least(coalesce(death_year,2019)-birth_year-20, 60)) END AS yc,
             (ARRAY['Oil on canvas','Oil on canvas','Oil on canvas','Oil on canvas','Drawing','Drawing','Print','Print','Print','Sculpture','Photograph','Textile','Glass'])[1+pg_temp.h('me'||i,13)] med,
             CASE WHEN i > 470 THEN date '2022-01-10' + (i-470)*19 + pg_temp.h('aq'||i,15) ELSE date '2021-12-01' - pg_temp.h('aq'||i,25000) END aq0
      FROM generate_series(1,520) i JOIN artist a ON a.artist_id = 1 + (pg_temp.h('ar'||i,66) * (60+pg_temp.h('as'||i,40)) / 100)) z) x;

INSERT INTO exhibition_artwork
SELECT e.exhibition_id, a.artwork_id FROM exhibition e CROSS JOIN artwork a
WHERE pg_temp.h('ea'||e.exhibition_id||'-'||a.artwork_id,1000) < CASE WHEN e.closes_on IS NULL THEN 90 WHEN e.gallery='North Wing' THEN 62 WHEN e.gallery='South Wing' THEN 40 ELSE 22 END + e.exhibition_id
  AND a.acquired_on < e.opens_on + CASE WHEN e.closes_on IS NULL THEN 3000 ELSE 0 END;

INSERT INTO institution VALUES
 (1,'Rijnmuseum','Rotterdam','Netherlands'),(2,'Kunsthalle am Markt','Cologne','Germany'),(3,'Musee du Nord','Lille','France'),
 (4,'Galleria dei Ponti','Venice','Italy'),(5,'Northgate Gallery','Leeds','United Kingdom'),(6,'Museo del Rio','Seville','Spain'),
 (7,'Stadtmuseum Altona','Hamburg','Germany'),(8,'Musee des Tisserands','Lyon','France'),(9,'Harbor Museum of Art','Boston','United States'),
 (10,'Nationalgalleriet','Oslo','Norway'),(11,'Museum Zuidkade','Amsterdam','Netherlands'),(12,'Palais Saint-Roch','Paris','France'),
 (13,'Pinacoteca Civica','Turin','Italy'),(14,'Kanazawa Art House','Kanazawa','Japan'),(15,'Lakeview Institute','Chicago','United States'),(16,'Museu da Ribeira','Porto','Portugal');

INSERT INTO loan
SELECT i, aw, 1 + pg_temp.h('li'||i,14), s, s + d,
       CASE WHEN s + d + late > date '2024-12-31' THEN NULL WHEN pg_temp.h('lost'||i,40)=0 THEN NULL ELSE s + d + late END,
       500 + 25*pg_temp.h('fee'||i,180)
FROM (SELECT i, 1 + (i*37)%467 aw, date '2022-01-15' + i*6 + pg_temp.h('ls'||i,20) s, 60 + 10*pg_temp.h('ld'||i,22) d,
             CASE WHEN pg_temp.h('lt?'||i,5)=0 THEN 1+pg_temp.h('lt'||i,35) ELSE -pg_temp.h('lt'||i,15) END late FROM generate_series(1,170) i) x;
UPDATE artwork SET on_display = false WHERE artwork_id IN (SELECT artwork_id FROM loan WHERE returned_on IS NULL);

INSERT INTO ticket_type VALUES (1,'Adult',16.00,1),(2,'Senior',12.50,1),(3,'Student',8.00,1),(4,'Child',5.00,1),(5,'Family',36.00,4),(6,'School class',95.00,25),(7,'Member guest',0.00,1),(8,'Combined city pass',22.00,1);

INSERT INTO ticket_sale
SELECT i, tt.ticket_type_id, ex.exhibition_id, CASE WHEN x.mem AND m.joined_on <= x.v AND coalesce(m.cancelled_on, date '2030-01-01') > x.v THEN m.member_id END,
       CASE WHEN ch = 'desk' THEN v ELSE v - pg_temp.h('adv'||i,21) END + interval '10 hours' + pg_temp.h('tm'||i,420)*interval '1 minute',
       v, CASE WHEN tt.ticket_type_id IN (5,6) THEN 1 + pg_temp.h('q'||i,2)*(pg_temp.h('q2'||i,3)/2) ELSE 1 + pg_temp.h('q'||i,4) END,
       CASE WHEN tt.list_price = 0 THEN 0 ELSE tt.list_price + CASE WHEN ex.exhibition_id IS NOT NULL THEN 4 ELSE 0 END - CASE WHEN ch='online' THEN 1 ELSE 0 END - CASE WHEN v < date '2023-01-01' THEN 0.5 ELSE 0 END END,
       ch, pg_temp.h('ref'||i,30)=0 AND ch <> 'desk' AND tt.list_price > 0
FROM (SELECT i, d + CASE WHEN extract(isodow FROM d)=1 THEN 5 ELSE 0 END AS v, ch, mem FROM
       (SELECT i, date '2022-01-04' + floor(1085*power(pg_temp.h('vd'||i,100000)/100000.0,0.82))::int d,
         (ARRAY['online','online','online','online','desk','desk','desk','phone','partner'])[1+pg_temp.h('ch'||i,9)] ch, pg_temp.h('mb'||i,5)=0 AS mem FROM generate_series(1,5200) i) y) x
JOIN ticket_type tt ON tt.ticket_type_id = CASE WHEN x.mem AND pg_temp.h('tg'||i,3)=0 THEN 7 ELSE (ARRAY[1,1,1,1,1,2,2,3,3,4,5,5,6,8])[1+pg_temp.h('tt'||i,14)] END
JOIN member m ON m.member_id = 1 + pg_temp.h('tm'||i,300)
LEFT JOIN LATERAL (SELECT e.exhibition_id FROM exhibition e WHERE e.closes_on IS NOT NULL AND x.v BETWEEN e.opens_on AND e.closes_on AND pg_temp.h('te'||i,10) < 6
   ORDER BY pg_temp.h('tx'||i||'-'||e.exhibition_id, 1000) / CASE WHEN e.gallery='North Wing' THEN 3 ELSE 1 END, e.exhibition_id LIMIT 1) ex ON true;

INSERT INTO guided_tour
SELECT i, th, lang, g.staff_id, t, dur, cap, CASE WHEN canc THEN 0 ELSE least(cap, greatest(2, cap - pg_temp.h('pa'||i,14) + CASE WHEN th='Highlights' THEN 5 ELSE 0 END)) END, pr, canc
FROM (SELECT i, (ARRAY['Highlights','Highlights','Highlights','Women Artists','Behind the Scenes','Architecture','Family Tour','Drawing Workshop'])[1+pg_temp.h('th'||i,8)] th,
        (ARRAY['Dutch','Dutch','Dutch','English','English','French','French','German','Spanish'])[1+pg_temp.h('la'||i,9)] lang,
        d + CASE WHEN extract(isodow FROM d)=1 THEN 2 ELSE 0 END + (ARRAY[interval '10 hours 30 minutes',interval '13 hours',interval '15 hours'])[1+pg_temp.h('st'||i,3)] t,
        (ARRAY[45,60,60,75,90,120])[1+pg_temp.h('du'||i,6)] dur, (ARRAY[12,15,15,20,25])[1+pg_temp.h('ca'||i,5)] cap, (ARRAY[6.00,8.00,8.00,10.00,14.00])[1+pg_temp.h('pr'||i,5)] pr, pg_temp.h('cn'||i,11)=0 canc
      FROM (SELECT i, date '2022-01-11' + (i*2.2)::int + pg_temp.h('td'||i,6) d FROM generate_series(1,480) i) y) x
CROSS JOIN LATERAL (SELECT staff_id FROM staff s WHERE job_title='Guide' AND s.hired_on <= x.t AND coalesce(s.left_on, date '2030-01-01') > x.t AND staff_id <> 16 ORDER BY pg_temp.h('tg'||x.i||'-'||s.staff_id, 100000) LIMIT 1) g;

INSERT INTO donation
SELECT i, CASE WHEN pg_temp.h('dm?'||i,10)<7 AND m.joined_on <= d THEN m.member_id END, d,
       (ARRAY[10,20,25,50,50,75,100,100,150,250,500,1000,2500])[1+pg_temp.h('da'||i,13)] + CASE WHEN i%5=0 THEN pg_temp.h('dc'||i,40) ELSE 0 END + CASE WHEN i%71=0 THEN 5000 ELSE 0 END,
       CASE WHEN pg_temp.h('cp?'||i,3)>0 THEN CASE WHEN d < date '2023-01-01' THEN (ARRAY['Roof Restoration','Roof Restoration','School Bus Fund'])[1+pg_temp.h('cp'||i,3)]
          WHEN d < date '2024-01-01' THEN (ARRAY['Roof Restoration','School Bus Fund','Adopt a Painting'])[1+pg_temp.h('cp'||i,3)] ELSE (ARRAY['School Bus Fund','Adopt a Painting','Adopt a Painting','New Library'])[1+pg_temp.h('cp'||i,4)] END END,
       (ARRAY['bank transfer','bank transfer','card','card','cash'])[1+pg_temp.h('dp'||i,5)]
FROM (SELECT i, date '2022-01-03' + pg_temp.h('dd'||i,1090) d FROM generate_series(1,640) i) x JOIN member m ON m.member_id = 1 + pg_temp.h('dmm'||i,170)*2;

INSERT INTO product
SELECT row_number() OVER (), n, c, p, round(p*(30+pg_temp.h('uc'||n,30))/100.0,2), pg_temp.h('dsc'||n,8)=0
FROM (VALUES ('Collection Guide','Books',29.95),('Women of the Avant-Garde Catalogue','Books',39.50),('Gold before Columbus Catalogue','Books',44.00),('Impressions of the North Catalogue','Books',42.50),('Night Pieces Catalogue','Books',38.00),('Gardens of Paradise Catalogue','Books',41.00),('Art for Kids','Books',14.95),('A Short History of Drawing','Books',22.00),('Museum Architecture','Books',34.90),
 ('Harbour Poster','Prints and posters',12.50),('Winter Landscape Poster','Prints and posters',12.50),('Garden Poster','Prints and posters',15.00),('Fine Art Print Small','Prints and posters',24.00),('Fine Art Print Large','Prints and posters',59.00),('Limited Etching','Prints and posters',180.00),
 ('Postcard','Stationery',1.50),('Postcard Set','Stationery',9.95),('Notebook A5','Stationery',11.50),('Notebook A6','Stationery',8.50),('Pencil Tin','Stationery',13.00),('Bookmark','Stationery',3.50),('Desk Calendar','Stationery',16.95),('Gift Wrap','Stationery',5.25),
 ('Silver Leaf Earrings','Jewellery',48.00),('Glass Bead Necklace','Jewellery',65.00),('Bronze Brooch','Jewellery',36.00),('Enamel Pin','Jewellery',7.95),('Gold Replica Ring','Jewellery',89.00),
 ('Wooden Puzzle','Toys',19.95),('Colouring Box','Toys',17.50),('Plush Lion','Toys',21.00),('Memory Game','Toys',15.95),('Paper Theatre','Toys',27.00),
 ('Coffee Mug','Home',12.95),('Tea Towel','Home',10.95),('Glass Vase','Home',54.00),('Linen Cushion','Home',39.95),('Fridge Magnet','Home',4.50),('Scented Candle','Home',18.00),('Umbrella','Accessories',25.00),('Canvas Bag','Accessories',14.00),('Silk Scarf','Accessories',72.00),('Wool Socks','Accessories',12.00),('Cap','Accessories',19.00)) v(n,c,p);

INSERT INTO shop_sale
SELECT i, t, CASE WHEN pg_temp.h('sm?'||i,4)=0 AND m.joined_on <= t AND coalesce(m.cancelled_on,date '2030-01-01') > t THEN m.member_id END, g.staff_id,
       (ARRAY['card','card','card','card','card','cash','cash','voucher'])[1+pg_temp.h('sp'||i,8)]
FROM (SELECT i, d + CASE WHEN extract(isodow FROM d)=1 THEN 1 ELSE 0 END + interval '10 hours' + pg_temp.h('ss'||i,470)*interval '1 minute' t FROM
   (SELECT i, date '2022-01-04' + (i-1)*1085/2100 + pg_temp.h('sd'||i,4) d FROM generate_series(1,2100) i) y) x
JOIN member m ON m.member_id = 1 + pg_temp.h('smm'||i,240)
CROSS JOIN LATERAL (SELECT staff_id FROM staff s WHERE job_title='Shop assistant' AND s.hired_on <= x.t AND coalesce(s.left_on,date '2030-01-01') > x.t ORDER BY pg_temp.h('sc'||x.i||'-'||s.staff_id,100000) LIMIT 1) g;

INSERT INTO shop_sale_line
SELECT s.shop_sale_id, row_number() OVER (PARTITION BY s.shop_sale_id ORDER BY p.product_id), p.product_id,
       CASE WHEN p.price < 10 THEN 1 + pg_temp.h('lq'||s.shop_sale_id||'-'||p.product_id,6) ELSE 1 + pg_temp.h('lq'||s.shop_sale_id||'-'||p.product_id,5)/4 END,
       round(p.price * (100 - coalesce(l.shop_discount_percent,0))/100.0, 2)
FROM shop_sale s CROSS JOIN product p LEFT JOIN member m ON m.member_id = s.member_id LEFT JOIN membership_level l USING (membership_level_id)
WHERE p.product_id IN (1 + pg_temp.h('p1-'||s.shop_sale_id,43), 1 + pg_temp.h('p2-'||s.shop_sale_id,25), CASE WHEN s.shop_sale_id%3=0 THEN 1 + pg_temp.h('p3-'||s.shop_sale_id,43) END)
  AND p.product_id NOT IN (9, 33);
DELETE FROM shop_sale s WHERE NOT EXISTS (SELECT 1 FROM shop_sale_line l WHERE l.shop_sale_id = s.shop_sale_id);
COMMIT;
