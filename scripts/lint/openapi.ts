// Checks openapi.json by the rules of Redocly and of Spectral. Prints what they find, and exits with 1 then.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { OPENAPI_FILE } from '#http/reply-check.ts'

const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
const { status, stdout, stderr } = spawnSync(process.execPath, [redocly, 'lint', OPENAPI_FILE], {
  encoding: 'utf8',
  // Without these it sends requests to its maker.
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
})
if (status !== 0) console.error(stdout, stderr)

const linter = new spectral.Spectral()
// @ts-expect-error -- the two packages state the type of a rule differently.
linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] })
const found = await linter.run(JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')))
for (const { code, message, path } of found) console.error(`${code}: ${message} at ${path.join(' ')}`)

if (status !== 0 || found.length > 0) process.exitCode = 1
