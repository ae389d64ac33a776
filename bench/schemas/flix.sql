-- Films, the people in them, genres, countries and user ratings, linked many to many.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/flix.sql
BEGIN;
DROP SCHEMA IF EXISTS flix CASCADE;
CREATE SCHEMA flix;
SET LOCAL search_path = flix;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE country (country_code char(2) PRIMARY KEY, country_name text NOT NULL);
CREATE TABLE genre (genre_id int PRIMARY KEY, genre_name text NOT NULL);
CREATE TABLE film (film_id int PRIMARY KEY, title text NOT NULL, release_date date NOT NULL, runtime_minutes int NOT NULL, original_language text NOT NULL, budget_usd bigint, box_office_usd bigint, tagline text);
CREATE TABLE person (person_id int PRIMARY KEY, full_name text NOT NULL, birth_date date, death_date date, birth_country char(2) REFERENCES country);
CREATE TABLE film_genre (film_id int NOT NULL REFERENCES film, genre_id int NOT NULL REFERENCES genre, PRIMARY KEY (film_id, genre_id));
CREATE TABLE film_country (film_id int NOT NULL REFERENCES film, country_code char(2) NOT NULL REFERENCES country, PRIMARY KEY (film_id, country_code));
CREATE TABLE film_cast (film_id int NOT NULL REFERENCES film, person_id int NOT NULL REFERENCES person, billing_order int NOT NULL, PRIMARY KEY (film_id, person_id));
COMMENT ON TABLE film_cast IS 'Actors who appear in a film';
CREATE TABLE film_director (film_id int NOT NULL REFERENCES film, person_id int NOT NULL REFERENCES person, PRIMARY KEY (film_id, person_id));
CREATE TABLE rating (rating_id int PRIMARY KEY, film_id int NOT NULL REFERENCES film, user_name text NOT NULL, score int NOT NULL CHECK (score BETWEEN 1 AND 10), rated_at timestamp NOT NULL);

INSERT INTO country VALUES ('US','United States'),('GB','United Kingdom'),('FR','France'),('IT','Italy'),('JP','Japan'),('KR','South Korea'),('DE','Germany'),('MX','Mexico'),('AU','Australia'),('SE','Sweden'),('NZ','New Zealand'),('ES','Spain'),('CA','Canada'),('BR','Brazil'),('TW','Taiwan');
INSERT INTO genre VALUES (1,'Drama'),(2,'Comedy'),(3,'Thriller'),(4,'Science Fiction'),(5,'Action'),(6,'Crime'),(7,'Romance'),(8,'Horror'),(9,'Animation'),(10,'Fantasy'),(11,'War'),(12,'Western');
CREATE TEMP TABLE raw (id int, title text, rel date, mins int, lang text, budget numeric, gross numeric, directors text, actors text, genres text, countries text) ON COMMIT DROP;
INSERT INTO raw VALUES
 (1,'Inception','2010-07-16',148,'English',160,836,'Christopher Nolan','Leonardo DiCaprio,Tom Hardy,Marion Cotillard','Science Fiction,Action,Thriller','US,GB'),
 (2,'The Dark Knight','2008-07-18',152,'English',185,1006,'Christopher Nolan','Christian Bale,Heath Ledger','Action,Crime,Drama','US,GB'),
 (3,'Interstellar','2014-11-07',169,'English',165,731,'Christopher Nolan','Matthew McConaughey,Anne Hathaway','Science Fiction,Drama','US,GB'),
 (4,'Dunkirk','2017-07-21',106,'English',100,527,'Christopher Nolan','Tom Hardy,Cillian Murphy','War,Drama','US,GB,FR'),
 (5,'Oppenheimer','2023-07-21',180,'English',101,975,'Christopher Nolan','Cillian Murphy,Emily Blunt,Matt Damon','Drama','US,GB'),
 (6,'Pulp Fiction','1994-10-14',154,'English',8,214,'Quentin Tarantino','John Travolta,Uma Thurman,Samuel L. Jackson','Crime,Drama','US'),
 (7,'Kill Bill: Vol. 1','2003-10-10',111,'English',30,181,'Quentin Tarantino','Uma Thurman,Lucy Liu','Action,Thriller','US'),
 (8,'Django Unchained','2012-12-25',165,'English',102,426,'Quentin Tarantino','Jamie Foxx,Leonardo DiCaprio,Samuel L. Jackson','Western,Drama','US'),
 (9,'Inglourious Basterds','2009-08-21',153,'English',70,321,'Quentin Tarantino','Brad Pitt,Christoph Waltz,Diane Kruger','War,Drama','US,DE'),
 (10,'Once Upon a Time in Hollywood','2019-07-26',161,'English',91,377,'Quentin Tarantino','Leonardo DiCaprio,Brad Pitt,Margot Robbie','Comedy,Drama','US,GB'),
 (11,'Parasite','2019-05-30',132,'Korean',11,262,'Bong Joon-ho','Song Kang-ho,Choi Woo-shik','Drama,Thriller,Comedy','KR'),
 (12,'Snowpiercer','2013-08-01',126,'English',40,87,'Bong Joon-ho','Chris Evans,Song Kang-ho,Tilda Swinton','Science Fiction,Action','KR'),
 (13,'Memories of Murder','2003-05-02',131,'Korean',3,12,'Bong Joon-ho','Song Kang-ho','Crime,Drama,Thriller','KR'),
 (14,'Spirited Away','2001-07-20',125,'Japanese',19,396,'Hayao Miyazaki','','Animation,Fantasy','JP'),
 (15,'My Neighbor Totoro','1988-04-16',86,'Japanese',4,41,'Hayao Miyazaki','','Animation,Fantasy','JP'),
 (16,'Princess Mononoke','1997-07-12',134,'Japanese',24,170,'Hayao Miyazaki','','Animation,Fantasy','JP'),
 (17,'Seven Samurai','1954-04-26',207,'Japanese',NULL,NULL,'Akira Kurosawa','Toshiro Mifune,Takashi Shimura','Action,Drama','JP'),
 (18,'Rashomon','1950-08-25',88,'Japanese',NULL,NULL,'Akira Kurosawa','Toshiro Mifune,Takashi Shimura','Crime,Drama','JP'),
 (19,'Amelie','2001-04-25',122,'French',10,174,'Jean-Pierre Jeunet','Audrey Tautou,Mathieu Kassovitz','Romance,Comedy','FR,DE'),
 (20,'La Haine','1995-05-31',98,'French',3,15,'Mathieu Kassovitz','Vincent Cassel','Drama,Crime','FR'),
 (21,'Black Swan','2010-12-03',108,'English',13,329,'Darren Aronofsky','Natalie Portman,Vincent Cassel','Drama,Thriller,Horror','US'),
 (22,'Cinema Paradiso','1988-11-17',155,'Italian',5,13,'Giuseppe Tornatore','Philippe Noiret','Drama,Romance','IT,FR'),
 (23,'Life Is Beautiful','1997-12-20',116,'Italian',20,230,'Roberto Benigni','Roberto Benigni,Nicoletta Braschi','Comedy,Drama,War','IT'),
 (24,'Gravity','2013-10-04',91,'English',100,723,'Alfonso Cuaron','Sandra Bullock,George Clooney','Science Fiction,Thriller','US,GB'),
 (25,'Roma','2018-11-21',135,'Spanish',15,5,'Alfonso Cuaron','Yalitza Aparicio','Drama','MX,US'),
 (26,'Children of Men','2006-09-22',109,'English',76,70,'Alfonso Cuaron','Clive Owen,Julianne Moore','Science Fiction,Thriller','US,GB,JP'),
 (27,'Pan''s Labyrinth','2006-10-11',118,'Spanish',19,84,'Guillermo del Toro','Ivana Baquero,Sergi Lopez','Fantasy,Drama,War','MX,ES'),
 (28,'The Shape of Water','2017-12-01',123,'English',20,196,'Guillermo del Toro','Sally Hawkins,Michael Shannon','Fantasy,Romance,Drama','US,CA'),
 (29,'Mad Max: Fury Road','2015-05-15',120,'English',155,380,'George Miller','Tom Hardy,Charlize Theron','Action,Science Fiction','AU,US'),
 (30,'Brokeback Mountain','2005-12-09',134,'English',14,178,'Ang Lee','Heath Ledger,Jake Gyllenhaal,Anne Hathaway','Romance,Drama,Western','US,CA'),
 (31,'Crouching Tiger, Hidden Dragon','2000-07-06',119,'Mandarin',17,214,'Ang Lee','Michelle Yeoh,Chow Yun-fat','Action,Fantasy,Romance','TW,US'),
 (32,'Get Out','2017-02-24',104,'English',5,255,'Jordan Peele','Daniel Kaluuya,Allison Williams','Horror,Thriller','US'),
 (33,'Nope','2022-07-22',130,'English',68,172,'Jordan Peele','Daniel Kaluuya,Keke Palmer','Horror,Science Fiction','US'),
 (34,'Lady Bird','2017-11-03',94,'English',10,79,'Greta Gerwig','Saoirse Ronan,Laurie Metcalf','Comedy,Drama','US'),
 (35,'Little Women','2019-12-25',135,'English',40,218,'Greta Gerwig','Saoirse Ronan,Florence Pugh,Emma Watson','Drama,Romance','US'),
 (36,'Barbie','2023-07-21',114,'English',145,1446,'Greta Gerwig','Margot Robbie,Ryan Gosling','Comedy,Fantasy','US,GB'),
 (37,'La La Land','2016-12-09',128,'English',30,448,'Damien Chazelle','Ryan Gosling,Emma Stone','Romance,Comedy,Drama','US'),
 (38,'The Seventh Seal','1957-02-16',96,'Swedish',NULL,NULL,'Ingmar Bergman','Max von Sydow,Bibi Andersson','Drama,Fantasy','SE'),
 (39,'The Matrix','1999-03-31',136,'English',63,467,'Lana Wachowski,Lilly Wachowski','Keanu Reeves,Carrie-Anne Moss,Laurence Fishburne','Action,Science Fiction','US,AU'),
 (40,'The Piano','1993-05-19',121,'English',7,140,'Jane Campion','Holly Hunter,Sam Neill','Drama,Romance','NZ,AU,FR'),
 (41,'City of God','2002-08-30',130,'Portuguese',3,31,'Fernando Meirelles,Katia Lund','Alexandre Rodrigues,Alice Braga','Crime,Drama','BR'),
 (42,'Poor Things','2023-12-08',141,'English',35,117,'Yorgos Lanthimos','Emma Stone,Mark Ruffalo','Comedy,Romance,Science Fiction','GB,US');
INSERT INTO film SELECT id, title, rel, mins, lang, budget * 1000000 + id * 1000 * (id % 7), gross * 1000000 + id * 13771, CASE WHEN id % 3 = 0 THEN 'A story about ' || lower(split_part(genres, ',', 1)) END FROM raw;
INSERT INTO person SELECT i, n, CASE WHEN i % 11 <> 4 THEN date '1921-03-14' + 200 * i + pg_temp.r(i,1,14000) END, CASE WHEN n IN ('Akira Kurosawa','Toshiro Mifune','Takashi Shimura','Ingmar Bergman','Heath Ledger','Max von Sydow','Bibi Andersson','Philippe Noiret') THEN date '2008-01-22' + 30 * i END,
    CASE WHEN i % 13 <> 5 THEN (SELECT split_part(countries, ',', 1) FROM raw WHERE id = f) END
  FROM (SELECT n, min(id) AS f, row_number() OVER (ORDER BY min(id), n COLLATE "C")::int AS i FROM (SELECT id, unnest(string_to_array(directors || ',' || actors, ',')) AS n FROM raw) AS a WHERE n <> '' GROUP BY n) AS x;
UPDATE person SET birth_date = CASE full_name WHEN 'Akira Kurosawa' THEN date '1910-03-23' WHEN 'Takashi Shimura' THEN date '1905-03-12' WHEN 'Toshiro Mifune' THEN date '1920-04-01' WHEN 'Ingmar Bergman' THEN date '1918-07-14' WHEN 'Max von Sydow' THEN date '1929-04-10' WHEN 'Philippe Noiret' THEN date '1930-10-01' WHEN 'Hayao Miyazaki' THEN date '1941-01-05' WHEN 'Heath Ledger' THEN date '1979-04-04' ELSE birth_date END;
INSERT INTO person VALUES (901,'Agnes Varda','1928-05-30','2019-03-29','FR'),(902,'Pedro Pascal','1975-04-02',NULL,NULL);
INSERT INTO film_genre SELECT id, genre_id FROM raw, unnest(string_to_array(genres, ',')) AS g JOIN genre ON genre_name = g;
INSERT INTO film_country SELECT id, c FROM raw, unnest(string_to_array(countries, ',')) AS c;
INSERT INTO film_cast SELECT id, person_id, o FROM raw, unnest(string_to_array(actors, ',')) WITH ORDINALITY AS a(n, o) JOIN person ON full_name = n;
INSERT INTO film_director SELECT id, person_id FROM raw, unnest(string_to_array(directors, ',')) AS n JOIN person ON full_name = n;
INSERT INTO rating SELECT i, f, (ARRAY['moviebuff','cinemaniac','anna_k','reelfan','popcorn77','jdoe','nightowl','lars','critic_at_large','sofia','tvking','mmm'])[1 + pg_temp.r(i,3,12)], least(10, 4 + f % 4 + pg_temp.r(i,4,5)), timestamp '2021-02-01 10:00' + make_interval(hours => i * 130 + pg_temp.r(i,5,100))
  FROM generate_series(1, 200) AS i, LATERAL (SELECT 1 + pg_temp.r(i,2,39) AS f) AS x;
ANALYZE country; ANALYZE genre; ANALYZE film; ANALYZE person; ANALYZE film_genre; ANALYZE film_country; ANALYZE film_cast; ANALYZE film_director; ANALYZE rating;
COMMIT;
