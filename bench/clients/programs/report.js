// Shared by the Node programs: what they are shown, and how they tell what they saw.
'use strict'
const env = process.env
const question = env.ASKWIRE_QUESTION
const rows = JSON.parse(env.ASKWIRE_ROWS)
const columns = JSON.parse(env.ASKWIRE_COLUMNS)
const ask = `ASK '${question}'`

class Refused extends Error {}

function same(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`found ${JSON.stringify(found).slice(0, 200)}, expected ${JSON.stringify(wanted).slice(0, 200)}`)
  }
}

function rowsAreRight(found) {
  const texts = found.map(row => [String(row.title ?? row[0]), Number(row.price ?? row[1]).toFixed(2)])
  same(texts.sort((a, b) => (a[0] < b[0] ? -1 : 1)), rows)
}

function refused(error, ...codes) {
  if (codes.includes(error.code)) throw new Refused(error.code)
  throw error
}

async function run(cells) {
  for (const [cell, work] of Object.entries(cells)) {
    let outcome = 'ok', note = ''
    try {
      note = (await work()) || ''
    } catch (error) {
      outcome = error instanceof Refused ? 'refused' : 'failed'
      note = error.message.replaceAll('\n', ' ').slice(0, 400)
    }
    console.log(JSON.stringify({ cell, outcome, note }).replace('{"cell":', '{"cell": '))
  }
}

module.exports = {
  question, rows, columns, ask, same, rowsAreRight, refused, run,
  refusals: ['NL001', 'NL002', 'NL003'],
  unanswerable: "ASK 'why is the sky blue?'",
  wrapped: `SELECT * FROM (ASK '${question}') AS t`,
  called: `SELECT * FROM ask('${question}')`,
  counted: `SELECT count(*)::int AS n FROM (ASK '${question}') AS t`,
  slow: `SELECT t.* FROM (ASK '${question}') AS t, pg_sleep(10)`,
}
