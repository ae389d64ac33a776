// postgres.js: Parse, Describe, then Bind and Execute; fetch sizes by cursor().
'use strict'
const postgres = require('postgres')
const r = require('./report.js')

async function main() {
  const sql = postgres({
    host: process.env.PGHOST, port: Number(process.env.PGPORT), database: process.env.PGDATABASE,
    username: process.env.PGUSER, max: 1, onnotice: () => {}, ssl: false,
  })
  await r.run({
    plain: async () => r.rowsAreRight(await sql.unsafe(r.ask)),
    question: async () => {
      try {
        r.rowsAreRight(await sql`ASK ${r.question}`)
      } catch (error) {
        r.refused(error, 'NL007')
      }
    },
    parameters: async () =>
      r.rowsAreRight(await sql.unsafe(`${r.wrapped} WHERE price > $1 OR title = $2`, [-1, 'x'])),
    prepared: async () => {
      for (let n = 0; n < 8; n++) r.rowsAreRight(await sql.unsafe(r.ask, [], { prepare: true }))
    },
    describe: async () => {
      const found = await sql.unsafe(r.ask, [], { prepare: true }).describe()
      r.same(found.columns.map(c => c.name), r.columns)
    },
    cursor: async () => {
      const found = []
      await sql.unsafe(r.ask, [], { prepare: true }).cursor(7, some => { found.push(...some) })
      r.rowsAreRight(found)
    },
    'limit 0': async () => {
      for (const text of [r.wrapped, r.called]) {
        const found = await sql.unsafe(`${text} LIMIT 0`)
        r.same(found.columns.map(c => c.name), r.columns)
      }
    },
    count: async () => r.same((await sql.unsafe(r.counted))[0].n, r.rows.length),
    copy: async () => {
      let text = ''
      for await (const part of await sql.unsafe(`COPY (${r.ask}) TO STDOUT`).readable()) text += part
      r.rowsAreRight(text.trimEnd().split('\n').map(line => line.split('\t')))
    },
    multi: async () => r.rowsAreRight((await sql.unsafe(`SET application_name TO 'multi'; ${r.ask}`))[1]),
    transaction: async () => {
      await sql.begin(async own => r.rowsAreRight(await own.unsafe(r.ask)))
    },
    error: async () => {
      try {
        await sql.unsafe(r.unanswerable)
      } catch (error) {
        if (!r.refusals.includes(error.code)) throw error
        r.same((await sql`SELECT 1 AS one`)[0].one, 1)
        return error.code
      }
      throw new Error('no error')
    },
    cancel: async () => {
      const running = sql.unsafe(r.slow)
      const ended = running.then(() => null, error => error)
      await new Promise(resolve => setTimeout(resolve, 1000))
      running.cancel()
      r.same((await ended)?.code, '57014')
      r.same((await sql`SELECT 1 AS one`)[0].one, 1)
    },
  })
  await sql.end()
}

main()
