// What the service's create is measured against: express, its body parser, and one raw insert of the same row into the
// same table for each request. No key, no allowlist, no idempotent repeat, no derivation, no secret, no event.
import { randomBytes, randomUUID } from 'node:crypto'
import express from 'express'
import pg from 'pg'

const { DATABASE_URL, PORT, ACCOUNT_ID } = process.env

// Ten connections, as pg's pool and the service's come.
const pool = new pg.Pool({ connectionString: DATABASE_URL })

const INSERT = `INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash,
  price_usd_cents, accepted_assets, reference, expires_at, payee_label, created_at, updated_at)
  VALUES ($1, 'live', $2, $2, $3, $4, $5, $6, $7, $8, 'Corner Shop', $9, $9) RETURNING *`

const app = express()
app.use(express.json())
app.get('/', (_request, response) => void response.send('ready'))
app.post('/intents', async (request, response) => {
  const { amount_usd_cents, accepted_tokens, reference } = request.body
  const id = randomUUID()
  const now = Date.now()
  const { rows } = await pool.query(INSERT, [
    id,
    ACCOUNT_ID,
    // As long as an address, and as different.
    `address-${id}`,
    randomBytes(32),
    amount_usd_cents,
    accepted_tokens.map(({ mint = 'SOL' }: { mint?: string }) => mint),
    reference,
    new Date(now + 600_000),
    new Date(now),
  ])
  const { client_secret_hash: _, ...intent } = rows[0]
  response.json(intent)
})
app.listen(Number(PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
