// node-postgres: simple and extended queries, named statements, pg-cursor (Flush), COPY, cancel by a second connection.
'use strict'
const { Client } = require('pg')
const Cursor = require('pg-cursor')
const { to: copyTo } = require('pg-copy-streams')
const r = require('./report.js')

async function main() {
  const client = new Client()
  await client.connect()
  await r.run({
    plain: async () => r.rowsAreRight((await client.query(r.ask)).rows),
    question: async () => r.rowsAreRight((await client.query('ASK $1', [r.question])).rows),
    parameters: async () =>
      r.rowsAreRight((await client.query(`${r.wrapped} WHERE price > $1 OR title = $2`, [-1, 'x'])).rows),
    prepared: async () => {
      for (let n = 0; n < 8; n++) r.rowsAreRight((await client.query({ name: 'again', text: r.ask, values: [] })).rows)
    },
    cursor: async () => {
      const cursor = client.query(new Cursor(r.ask))
      const found = []
      for (;;) {
        const some = await cursor.read(7)
        if (some.length === 0) break
        found.push(...some)
      }
      await cursor.close()
      r.rowsAreRight(found)
      return 'pg-cursor'
    },
    'limit 0': async () => {
      for (const text of [r.wrapped, r.called]) {
        const found = await client.query(`${text} LIMIT 0`)
        r.same([found.fields.map(f => f.name), found.rows], [r.columns, []])
      }
    },
    count: async () => r.same((await client.query(r.counted)).rows, [{ n: r.rows.length }]),
    copy: async () => {
      let text = ''
      for await (const part of client.query(copyTo(`COPY (${r.ask}) TO STDOUT`))) text += part
      r.rowsAreRight(text.trimEnd().split('\n').map(line => line.split('\t')))
    },
    multi: async () => {
      const found = await client.query(`SET application_name TO 'multi'; ${r.ask}`)
      r.rowsAreRight(found[1].rows)
    },
    transaction: async () => {
      await client.query('BEGIN')
      r.rowsAreRight((await client.query(r.ask)).rows)
      await client.query('COMMIT')
    },
    error: async () => {
      try {
        await client.query(r.unanswerable)
      } catch (error) {
        if (!r.refusals.includes(error.code)) throw error
        r.same((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }])
        return error.code
      }
      throw new Error('no error')
    },
    cancel: async () => {
      const running = client.query(r.slow).then(() => null, error => error)
      await new Promise(resolve => setTimeout(resolve, 1000))
      await new Promise((resolve, reject) => {
        const socket = require('net').connect(Number(process.env.PGPORT), process.env.PGHOST, () => {
          const request = Buffer.alloc(16)
          request.writeInt32BE(16, 0)
          request.writeInt32BE(80877102, 4)
          request.writeInt32BE(client.processID, 8)
          request.writeInt32BE(client.secretKey, 12)
          socket.end(request)
        })
        socket.on('close', resolve).on('error', reject)
      })
      r.same((await running)?.code, '57014')
      r.same((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }])
    },
  })
  await client.end()
}

main()
