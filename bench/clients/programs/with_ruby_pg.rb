# ruby-pg: simple queries, parameters, prepared statements, single-row mode, COPY, cancel.
require 'json'
require 'pg'

QUESTION = ENV.fetch('ASKWIRE_QUESTION')
COLUMNS = JSON.parse(ENV.fetch('ASKWIRE_COLUMNS'))
ROWS = JSON.parse(ENV.fetch('ASKWIRE_ROWS'))
ASK = "ASK '#{QUESTION}'".freeze
WRAPPED = "SELECT * FROM (#{ASK}) AS t".freeze
CALLED = "SELECT * FROM ask('#{QUESTION}')".freeze
$db = PG.connect
$db.set_notice_processor { |_| nil }

def same(found, wanted)
  raise "found #{found.inspect[0, 200]}, expected #{wanted.inspect[0, 200]}" if found != wanted
end

def rows_are_right(rows)
  same(rows.map { |title, price| [title.to_s, format('%.2f', price.to_f)] }.sort, ROWS)
end

CELLS = {
  'plain' => -> { rows_are_right($db.exec(ASK).values) },
  'question' => -> { rows_are_right($db.exec_params('ASK $1', [QUESTION]).values) },
  'parameters' => -> { rows_are_right($db.exec_params("#{WRAPPED} WHERE price > $1 OR title = $2", [-1, 'x']).values) },
  'prepared' => lambda {
    $db.prepare('again', ASK)
    8.times { rows_are_right($db.exec_prepared('again').values) }
  },
  'describe' => lambda {
    $db.prepare('described', ASK)
    same($db.describe_prepared('described').fields, COLUMNS)
  },
  'cursor' => lambda {
    $db.send_query(ASK)
    $db.set_single_row_mode
    rows = []
    while (found = $db.get_result)
      rows.concat(found.check.values)
    end
    rows_are_right(rows)
    'single-row mode'
  },
  'limit 0' => -> { [WRAPPED, CALLED].each { |text| same($db.exec("#{text} LIMIT 0").fields, COLUMNS) } },
  'count' => -> { same($db.exec("SELECT count(*) FROM (#{ASK}) AS t").getvalue(0, 0).to_i, ROWS.length) },
  'copy' => lambda {
    lines = []
    $db.copy_data("COPY (#{ASK}) TO STDOUT") do
      while (line = $db.get_copy_data)
        lines << line.chomp.split("\t")
      end
    end
    rows_are_right(lines)
  },
  'multi' => -> { rows_are_right($db.exec("SET application_name TO 'multi'; #{ASK}").values) },
  'transaction' => -> { $db.transaction { |own| rows_are_right(own.exec(ASK).values) } },
  'error' => lambda {
    code = begin
      $db.exec("ASK 'why is the sky blue?'")
      'none'
    rescue PG::Error => e
      e.result.error_field(PG::PG_DIAG_SQLSTATE)
    end
    raise "SQLSTATE #{code}" unless %w[NL001 NL002 NL003].include?(code)

    same($db.exec('SELECT 1').values, [['1']])
    code
  },
  'cancel' => lambda {
    $db.send_query("SELECT t.* FROM (#{ASK}) AS t, pg_sleep(10)")
    sleep 1
    $db.cancel
    code = begin
      $db.get_last_result
      'none'
    rescue PG::Error => e
      e.result.error_field(PG::PG_DIAG_SQLSTATE)
    end
    same(code, '57014')
    same($db.exec('SELECT 1').values, [['1']])
  }
}.freeze

CELLS.each do |name, work|
  outcome = 'ok'
  begin
    note = work.call
    note = '' unless note.is_a?(String)
  rescue StandardError => e
    outcome = 'failed'
    note = "#{e.class}: #{e.message}"[0, 400].tr("\n", ' ')
  end
  puts "{\"cell\": #{name.to_json}, \"outcome\": #{outcome.to_json}, \"note\": #{note.to_json}}"
end
