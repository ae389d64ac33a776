-- An amateur football league: two teams, two kinds of referees and two players in one row, heights in metres and weights in kilograms,
-- prices in dollars, lengths in seconds, grounds that are not known, players that have no team, people that are taken away by a time stamp.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/league.sql
BEGIN;
DROP SCHEMA IF EXISTS league CASCADE;
CREATE SCHEMA league;
SET LOCAL search_path = league;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE grounds (id int PRIMARY KEY, name text NOT NULL, town text NOT NULL, capacity int, surface text, pitch_length_m int NOT NULL, opened int);
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL, town text NOT NULL, division text NOT NULL, ground_id int REFERENCES grounds, founded int, budget numeric(10,2), sponsor text);
CREATE TABLE players (
  id int PRIMARY KEY, name text NOT NULL, birth_date date NOT NULL, nationality text, position text NOT NULL, height numeric(3,2), weight_kg numeric(4,1), foot char(1),
  team_id int REFERENCES teams, salary numeric(8,2), deleted_at timestamptz);
CREATE TABLE coaches (id int PRIMARY KEY, name text NOT NULL, team_id int REFERENCES teams, licence text, appointed_on date NOT NULL, dismissed_on date);
CREATE TABLE referees (id int PRIMARY KEY, name text NOT NULL, town text, grade int NOT NULL, mentor_id int REFERENCES referees);
CREATE TABLE matches (
  id int PRIMARY KEY, season int NOT NULL, played_on date NOT NULL, home_team_id int NOT NULL REFERENCES teams, away_team_id int NOT NULL REFERENCES teams, ground_id int REFERENCES grounds,
  referee_id int REFERENCES referees, assistant_referee_id int REFERENCES referees, home_goals int, away_goals int, attendance int, duration_seconds int, ticket_price numeric(5,2) NOT NULL, abandoned boolean NOT NULL);
CREATE TABLE goals (id int PRIMARY KEY, match_id int NOT NULL REFERENCES matches, scorer_id int NOT NULL REFERENCES players, assist_id int REFERENCES players, minute int NOT NULL, kind text);
CREATE TABLE cards (id int PRIMARY KEY, match_id int NOT NULL REFERENCES matches, player_id int NOT NULL REFERENCES players, colour text NOT NULL, minute int NOT NULL, fine numeric(6,2));
COMMENT ON COLUMN players.height IS 'in metres';
COMMENT ON COLUMN players.foot IS 'L = left, R = right';
COMMENT ON COLUMN goals.assist_id IS 'the player who gave the pass, if any';

INSERT INTO grounds SELECT i, (ARRAY['Mill Lane','Priory Park','The Meadow','Castle Road','Station Field','Weir Side','Quarry Hill','Abbey Green','Canal Bank','Oak Street'])[i], (ARRAY['Ashford','Barton','Calder','Dunmore','Elmswell','Fenwick','Garston','Ashford','Barton','Halton'])[i],
  CASE WHEN i % 4 > 0 THEN 400 + 350 * i END, CASE WHEN i % 5 > 0 THEN (ARRAY['grass','artificial','grass'])[1 + i % 3] END, 90 + 2 * i, CASE WHEN i <> 6 THEN 1921 + 9 * i END FROM generate_series(1, 10) AS i;
INSERT INTO teams SELECT i, (ARRAY['Ashford','Barton','Calder','Dunmore','Elmswell','Fenwick','Garston','Halton','Ashford','Barton','Ilford','Kelso','Lydney','Marlow'])[i] || ' ' || (ARRAY['Town','United','Rovers','Athletic','Wanderers'])[1 + i % 5], (ARRAY['Ashford','Barton','Calder','Dunmore','Elmswell','Fenwick','Garston','Halton','Ashford','Barton','Ilford','Kelso','Lydney','Marlow'])[i],
  (ARRAY['Premier','First','Second'])[1 + i % 3], CASE WHEN i <= 10 THEN i END, CASE WHEN i % 6 > 0 THEN 1890 + 7 * i END, CASE WHEN i % 4 > 0 THEN 9000 + 5250.5 * i END, CASE WHEN i % 3 > 0 THEN (ARRAY['Hobbs Bakery','Varley Motors','Lindt Optics'])[1 + i % 3] END FROM generate_series(1, 14) AS i;
INSERT INTO players SELECT i, (ARRAY['Tom','Sean','Luis','Omar','Piotr','Karl','Ivan','Niko','Abel','Glen','Rhys'])[1 + i % 11] || ' ' || (ARRAY['Archer','Bright','Costello','Doyle','Eze','Frost','Gallo','Hart','Iqbal','Jarvis','Kovac','Lund','Moss'])[1 + i % 13],
  date '1984-03-01' + 29 * i, CASE WHEN i % 8 > 0 THEN (ARRAY['English','English','Irish','Polish','Spanish','Welsh'])[1 + pg_temp.pick(i,'pn',6)] END, (ARRAY['goalkeeper','defender','defender','midfielder','midfielder','forward'])[1 + pg_temp.pick(i,'pp',6)], CASE WHEN i % 9 > 0 THEN 1.62 + pg_temp.pick(i,'ph',40) / 100.0 END,
  CASE WHEN i % 10 > 0 THEN 58 + pg_temp.pick(i,'pw',450) / 10.0 END, CASE WHEN i % 7 > 0 THEN (ARRAY['R','R','L'])[1 + pg_temp.pick(i,'pf',3)] END, CASE WHEN i % 12 > 0 THEN 1 + pg_temp.pick(i,'pt',13) END, CASE WHEN i % 6 > 0 THEN 300 + pg_temp.pick(i,'ps',9000) / 4.0 END,
  CASE WHEN i % 17 = 0 THEN timestamptz '2025-06-01 10:00+00' + i * interval '1 day' END FROM generate_series(1, 260) AS i;
INSERT INTO coaches SELECT i, (ARRAY['Walt','Nora','Stig','Vera','Milo'])[1 + i % 5] || ' ' || (ARRAY['Penn','Quill','Rudd','Stroud','Tate','Usher','Voss'])[1 + i % 7], CASE WHEN i % 9 > 0 THEN 1 + pg_temp.pick(i,'ct',14) END, CASE WHEN i % 4 > 0 THEN (ARRAY['A','B','Pro'])[1 + i % 3] END, date '2018-07-01' + 140 * i, CASE WHEN i % 3 = 0 THEN date '2019-09-01' + 140 * i END FROM generate_series(1, 22) AS i;
INSERT INTO referees SELECT i, (ARRAY['Dale','Erin','Fritz','Gwen','Hank','Isla'])[1 + i % 6] || ' ' || (ARRAY['Marsh','North','Olsen','Pryce','Reid'])[1 + i % 5], CASE WHEN i % 5 > 0 THEN (ARRAY['Ashford','Calder','Halton','Marlow'])[1 + i % 4] END, 1 + i % 4, CASE WHEN i > 5 THEN 1 + pg_temp.pick(i,'rm',5) END FROM generate_series(1, 18) AS i;
INSERT INTO matches SELECT i, 2023 + (i - 1) / 180, date '2023-01-07' + (i - 1) / 180 * 365 + (i - 1) % 180 * 2, h, 1 + (h + pg_temp.pick(i,'ma',13)) % 14, CASE WHEN i % 15 > 0 THEN 1 + pg_temp.pick(i,'mg',9) END, CASE WHEN i % 21 > 0 THEN 1 + pg_temp.pick(i,'mr',17) END, CASE WHEN i % 6 > 0 THEN 1 + pg_temp.pick(i,'ms',18) END,
  CASE WHEN NOT a THEN pg_temp.pick(i,'mx',5) END, CASE WHEN NOT a THEN pg_temp.pick(i,'my',4) END, CASE WHEN i % 10 > 0 THEN 80 + pg_temp.pick(i,'mt',2400) END, CASE WHEN i % 8 > 0 THEN 5400 + pg_temp.pick(i,'md',700) END, 4 + pg_temp.pick(i,'mp',33) / 2.0, a
  FROM (SELECT i, 1 + pg_temp.pick(i,'mh',14) AS h, i % 37 = 0 AS a FROM generate_series(1, 540) AS i) AS x;
INSERT INTO goals SELECT row_number() OVER (ORDER BY m.id, g), m.id, 1 + pg_temp.pick(m.id * 16 + g,'gs',230), CASE WHEN pg_temp.pick(m.id * 16 + g,'gz',3) > 0 THEN 1 + pg_temp.pick(m.id * 16 + g,'ga',231) END, 1 + pg_temp.pick(m.id * 16 + g,'gm',93), CASE WHEN pg_temp.pick(m.id * 16 + g,'gn',7) > 0 THEN (ARRAY['open play','header','penalty','free kick','open play'])[1 + pg_temp.pick(m.id * 16 + g,'gk',5)] END
  FROM matches AS m, generate_series(1, 8) AS g WHERE g <= m.home_goals + m.away_goals;
INSERT INTO cards SELECT i, 1 + pg_temp.pick(i,'dm',540), 1 + pg_temp.pick(i,'dp',250), (ARRAY['yellow','yellow','yellow','red'])[1 + pg_temp.pick(i,'dc',4)], 1 + pg_temp.pick(i,'dn',92), CASE WHEN i % 4 > 0 THEN 5 + pg_temp.pick(i,'df',40) * 2.5 END FROM generate_series(1, 700) AS i;
ANALYZE grounds; ANALYZE teams; ANALYZE players; ANALYZE coaches; ANALYZE referees; ANALYZE matches; ANALYZE goals; ANALYZE cards;
COMMIT;
