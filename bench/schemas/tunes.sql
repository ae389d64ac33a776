-- A digital music store: artists, albums, tracks, what customers bought and the playlists.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/tunes.sql
BEGIN;
DROP SCHEMA IF EXISTS tunes CASCADE;
CREATE SCHEMA tunes;
SET LOCAL search_path = tunes;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE artist (artist_id int PRIMARY KEY, name varchar(120));
CREATE TABLE album (album_id int PRIMARY KEY, title varchar(160) NOT NULL, artist_id int NOT NULL REFERENCES artist);
CREATE TABLE genre (genre_id int PRIMARY KEY, name varchar(120));
CREATE TABLE media_type (media_type_id int PRIMARY KEY, name varchar(120));
CREATE TABLE track (track_id int PRIMARY KEY, name varchar(200) NOT NULL, album_id int REFERENCES album, media_type_id int NOT NULL REFERENCES media_type, genre_id int REFERENCES genre, composer varchar(220), milliseconds int NOT NULL, bytes int, unit_price numeric(10,2) NOT NULL);
CREATE TABLE employee (employee_id int PRIMARY KEY, last_name varchar(20) NOT NULL, first_name varchar(20) NOT NULL, title varchar(30), reports_to int REFERENCES employee, birth_date date, hire_date date, city varchar(40), country varchar(40), email varchar(60));
CREATE TABLE customer (customer_id int PRIMARY KEY, first_name varchar(40) NOT NULL, last_name varchar(20) NOT NULL, company varchar(80), city varchar(40), country varchar(40), phone varchar(24), email varchar(60) NOT NULL, support_rep_id int REFERENCES employee);
CREATE TABLE invoice (invoice_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, invoice_date timestamp NOT NULL, billing_city varchar(40), billing_country varchar(40), total numeric(10,2) NOT NULL);
CREATE TABLE invoice_line (invoice_line_id int PRIMARY KEY, invoice_id int NOT NULL REFERENCES invoice, track_id int NOT NULL REFERENCES track, unit_price numeric(10,2) NOT NULL, quantity int NOT NULL);
CREATE TABLE playlist (playlist_id int PRIMARY KEY, name varchar(120));
CREATE TABLE playlist_track (playlist_id int REFERENCES playlist, track_id int REFERENCES track, PRIMARY KEY (playlist_id, track_id));

INSERT INTO artist SELECT i, n FROM unnest(ARRAY['AC/DC','Aerosmith','Miles Davis','Nirvana','Metallica','Queen','U2','Antonio Carlos Jobim','Bob Marley','Norah Jones','Radiohead','Daft Punk','Johnny Cash','Amy Winehouse','Iron Maiden','Pearl Jam','Cesaria Evora','Buena Vista Social Club','Kraftwerk','Nina Simone','The Clash','Bjork','Ella Fitzgerald','Pixies','Fela Kuti']) WITH ORDINALITY AS u(n, i);
INSERT INTO album SELECT i, split_part(t, '|', 2), split_part(t, '|', 1)::int FROM unnest(ARRAY['1|Back in Black','1|Highway to Hell','2|Big Ones','3|Kind of Blue','3|Bitches Brew','3|Sketches of Spain','4|Nevermind','4|In Utero','5|Master of Puppets','5|Ride the Lightning','5|Black Album','6|A Night at the Opera','6|Greatest Hits I','6|Greatest Hits II','7|Achtung Baby','7|The Joshua Tree','8|Wave','9|Exodus','9|Legend','10|Come Away with Me','11|OK Computer','11|Kid A','11|In Rainbows','12|Discovery','12|Homework','13|At Folsom Prison','14|Back to Black','15|Powerslave','15|The Number of the Beast','15|Piece of Mind','15|Live After Death','16|Ten','17|Miss Perfumado','18|Buena Vista Social Club','19|Autobahn','20|Pastel Blues','21|London Calling','22|Debut','23|Ella in Berlin','22|Homogenic']) WITH ORDINALITY AS u(t, i);
INSERT INTO genre VALUES (1,'Rock'),(2,'Jazz'),(3,'Metal'),(4,'Alternative'),(5,'Bossa Nova'),(6,'Reggae'),(7,'Electronica'),(8,'Country'),(9,'Soul'),(10,'World'),(11,'Opera');
INSERT INTO media_type VALUES (1,'MPEG audio file'),(2,'Protected AAC audio file'),(3,'Protected MPEG-4 video file'),(4,'AAC audio file');
INSERT INTO track
  SELECT i, a || ' ' || b, al.album_id, (ARRAY[1,1,1,1,2,2,3,4])[1 + pg_temp.r(i,1,8)], (ARRAY[1,1,2,4,3,1,1,5,6,2,4,7,8,9,3,4,10,10,7,9,1,7,2,4,10])[al.artist_id],
    CASE WHEN pg_temp.r(i,2,3) > 0 THEN (ARRAY['Angus Young','Steven Tyler','M. Davis','Kurt Cobain','Hetfield/Ulrich','Freddie Mercury','Bono','A. C. Jobim','B. Marley','J. Harris'])[1 + pg_temp.r(i,3,10)] END,
    95000 + pg_temp.r(i,4,330000), 2000000 + pg_temp.r(i,5,9000000), (ARRAY[0.99,0.99,0.99,1.29,1.99])[1 + pg_temp.r(i,6,5)]
  FROM generate_series(1, 150) AS i CROSS JOIN LATERAL (SELECT (ARRAY['Midnight','Silver','Broken','Electric','Lonely','Burning','Golden','Slow','Hidden','Paper','Velvet','Distant','Crooked','Restless','Blue'])[1 + (i - 1) % 15] AS a, (ARRAY['Train','River','Heart','Highway','Moon','Mirror','Garden','Thunder','Letters','Summer'])[1 + (i - 1) / 15] AS b) AS w
    JOIN album AS al ON al.album_id = 1 + (i * 7 + pg_temp.r(i,7,6)) % 39;
INSERT INTO employee VALUES
  (1,'Adams','Andrew','General Manager',NULL,'1962-02-18','2012-08-14','Edmonton','Canada','andrew@tunes.example'),
  (2,'Edwards','Nancy','Sales Manager',1,'1958-12-08','2012-05-01','Calgary','Canada','nancy@tunes.example'),
  (3,'Peacock','Jane','Sales Support Agent',2,'1973-08-29','2012-04-01','Calgary','Canada','jane@tunes.example'),
  (4,'Park','Margaret','Sales Support Agent',2,'1979-09-19','2013-05-03','Calgary','Canada','margaret@tunes.example'),
  (5,'Johnson','Steve','Sales Support Agent',2,'1985-03-03','2013-10-17','Calgary','Canada','steve@tunes.example'),
  (6,'Mitchell','Michael','IT Manager',1,'1983-07-01','2013-10-18','Calgary','Canada','michael@tunes.example'),
  (7,'King','Robert','IT Staff',6,'1970-05-29','2014-01-02','Lethbridge','Canada','robert@tunes.example'),
  (8,'Callahan','Laura','IT Staff',6,'1988-01-09','2014-03-04','Lethbridge','Canada','laura@tunes.example');
INSERT INTO customer
  SELECT i, (ARRAY['Luis','Leonie','Francois','Bjorn','Frantisek','Helena','Astrid','Daan','Kara','Eduardo','Alexandre','Roberto','Fernanda','Mark','Jennifer','Frank','Jack','Michelle','Tim','Dan','Kathy','Heather','John','Julia','Victor','Richard','Patrick','Aaron','Ellie','Edward','Martha','Joao','Madalena','Hannah','Camille','Marc','Wyatt','Isabelle','Terhi','Ladislav'])[i],
    (ARRAY['Goncalves','Kohler','Tremblay','Hansen','Wichterlova','Holy','Gruber','Peeters','Nielsen','Martins','Rocha','Almeida','Ramos','Philips','Peterson','Harris','Smith','Brooks','Goyer','Miller','Chase','Leacock','Gordon','Barnett','Stevens','Cunningham','Gray','Mitchell','Sullivan','Francis','Silk','Fernandes','Sampaio','Schneider','Bernard','Dubois','Girard','Mercier','Hamalainen','Kovacs'])[i],
    CASE WHEN i % 4 = 1 THEN (ARRAY['Embraer','JetBrains','Telus','Google','Apple','Microsoft','Riotur','Rogers','Banco do Brasil','Woodstock Discos'])[1 + i / 4] END,
    split_part(c, '|', 1), split_part(c, '|', 2), CASE WHEN pg_temp.r(i,11,6) > 0 THEN '+' || (10 + i) || ' 555 ' || lpad((i * 137 % 10000)::text, 4, '0') END,
    'c' || i || '@' || (ARRAY['gmail.com','yahoo.com','mail.example'])[1 + i % 3], 3 + pg_temp.r(i,12,3)
  FROM generate_series(1, 40) AS i CROSS JOIN LATERAL (SELECT (ARRAY['Sao Paulo|Brazil','Stuttgart|Germany','Montreal|Canada','Oslo|Norway','Prague|Czech Republic','Prague|Czech Republic','Vienna|Austria','Brussels|Belgium','Copenhagen|Denmark','Sao Paulo|Brazil','Rio de Janeiro|Brazil','Rio de Janeiro|Brazil','Brasilia|Brazil','Edmonton|Canada','Vancouver|Canada','Mountain View|USA','Redmond|USA','New York|USA','Cupertino|USA','Mountain View|USA','Reno|USA','Orlando|USA','Boston|USA','Salt Lake City|USA','Madison|USA','Fort Worth|USA','Tucson|USA','Winnipeg|Canada','Yellowknife|Canada','Toronto|Canada','Halifax|Canada','Lisbon|Portugal','Porto|Portugal','Berlin|Germany','Paris|France','Lyon|France','Bordeaux|France','Dijon|France','Helsinki|Finland','Budapest|Hungary'])[i] AS c) AS x;
INSERT INTO invoice SELECT i, c.customer_id, timestamp '2021-01-03' + make_interval(days => (i * 12 + pg_temp.r(i,21,11))), c.city, c.country, 0
  FROM generate_series(1, 88) AS i JOIN customer AS c ON c.customer_id = CASE WHEN pg_temp.r(i,24,5) < 3 THEN 1 + pg_temp.r(i,22,37) ELSE 1 + pg_temp.r(i,22,100) * pg_temp.r(i,23,37) / 100 END;
INSERT INTO invoice_line SELECT row_number() OVER (ORDER BY i.invoice_id, k)::int, i.invoice_id, t.track_id, t.unit_price, (ARRAY[1,1,1,1,2,3])[1 + pg_temp.r(i.invoice_id * 9 + k,31,6)]
  FROM invoice AS i CROSS JOIN LATERAL generate_series(1, 1 + pg_temp.r(i.invoice_id,32,4)) AS k JOIN track AS t ON true WHERE t.track_id = 1 + (pg_temp.r(i.invoice_id,33,128) + k * 31) % 128;
UPDATE invoice AS i SET total = (SELECT sum(unit_price * quantity) FROM invoice_line AS l WHERE l.invoice_id = i.invoice_id);
INSERT INTO playlist VALUES (1,'Music'),(2,'Road Trip'),(3,'90s Music'),(4,'Heavy Metal Classic'),(5,'Late Night Jazz'),(6,'Workout'),(7,'Brazilian Music'),(8,'On-The-Go 1'),(9,'Audiobooks'),(10,'Sunday Morning');
INSERT INTO playlist_track SELECT DISTINCT p, 1 + pg_temp.r(p * 100 + k,41,150) FROM unnest(ARRAY[1,2,3,6,8,10]) AS p, generate_series(1, 10 + p * 2) AS k;
INSERT INTO playlist_track SELECT p, track_id FROM (VALUES (4,3),(5,2),(7,5)) AS v(p, g) JOIN track ON genre_id = g;
ANALYZE artist; ANALYZE album; ANALYZE genre; ANALYZE media_type; ANALYZE track; ANALYZE employee; ANALYZE customer; ANALYZE invoice; ANALYZE invoice_line; ANALYZE playlist; ANALYZE playlist_track;
COMMIT;
