// Secrets that are handed over as files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseClientConfig, parseConfig } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'secrets-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

describe('a secret in a file', () => {
  it('is read without the line break at its end', () => {
    const token = 'op_0123456789abcdef0123456789abcdef'
    const url = 'postgres://payments:secret@postgres:5432/payments'
    const config = parseConfig({
      OPERATOR_TOKEN_FILE: file('operator-token', `${token}\n`),
      DATABASE_URL_FILE: file('database-url', `${url}\n`),
      DATABASE_DIRECT_URL_FILE: file('direct-url', `${url}_direct\n`),
      SOLANA_RPC_URL_FILE: file('rpc', 'https://one.example/?key=1,https://two.example\n'),
      MASTER_SEED_FILE: '/run/secrets/master-seed',
      PYTH_API_KEY_FILE: file('pyth', 'pyth-key'),
    })
    expect(config.secrets.operatorToken).toMatchObject({ kind: 'given', secret: token })
    expect(config.database).toEqual({ kind: 'postgres', url, directUrl: `${url}_direct` })
    expect(config.chains.live).toMatchObject({ rpcUrls: ['https://one.example/?key=1', 'https://two.example'] })
    expect(config.prices.apiKeys.pyth).toBe('pyth-key')
    expect(parseClientConfig({ OPERATOR_TOKEN_FILE: join(directory, 'operator-token') }).token).toMatchObject({
      secret: token,
    })
  })

  it('is refused in one line that does not show it', () => {
    const refusalOf = (env: Record<string, string>): string => {
      try {
        parseConfig(env)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        return error instanceof Error ? error.message : ''
      }
      return 'accepted'
    }
    expect(refusalOf({ OPERATOR_TOKEN_FILE: '/nowhere/token' })).toMatch(
      /^OPERATOR_TOKEN_FILE: the file \/nowhere\/token cannot be read \(ENOENT\); write/,
    )
    expect(refusalOf({ OPERATOR_TOKEN_FILE: file('empty', ' \n') })).toMatch(
      /^OPERATOR_TOKEN_FILE: the file .* is empty/,
    )
    expect(
      refusalOf({
        OPERATOR_TOKEN_FILE: file('a', 'op_0123456789abcdef0123456789abcdef'),
        OPERATOR_TOKEN: 'op_0123456789abcdef0123456789abcdef',
      }),
    ).toBe('OPERATOR_TOKEN: is set next to OPERATOR_TOKEN_FILE; set one of them')
    expect(refusalOf({ OPERATOR_TOKEN_FILE: file('short', 'secret') })).not.toContain('"secret"')
  })
})
