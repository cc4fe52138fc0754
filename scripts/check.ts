// Every check that is not a test, at once; one line each, and what the failed ones said.
import { exec } from 'node:child_process'
import { resolve } from 'node:path'

const CHECKS = {
  types: 'npm run --silent typecheck',
  'lint and format': 'npm run --silent lint',
  'plain words': 'node scripts/lint/language.ts',
  'migrations make the schema': 'npm run --silent migration -- --check',
  'schemas are current': 'npm run --silent schema -- --check',
  'docs/errors.md is current': 'npm run --silent errors -- --check',
  'openapi.json is current': 'npm run --silent openapi -- --check',
  'openapi.json is valid': 'node scripts/lint/openapi.ts',
  'typed documents are current': 'npm run --silent codegen -- --check',
} as const

type Outcome = { readonly name: string; readonly passed: boolean; readonly output: string }

const root = resolve(import.meta.dirname, '..')
const width = Math.max(...Object.keys(CHECKS).map((name) => name.length))

function run([name, command]: [string, string]): Promise<Outcome> {
  const started = performance.now()
  return new Promise((done) => {
    exec(command, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const passed = error === null
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)}  ${seconds.padStart(5)} s`)
      done({ name, passed, output: `${stdout}${stderr}`.trim() })
    })
  })
}

const outcomes = await Promise.all(Object.entries(CHECKS).map(run))
const failed = outcomes.filter(({ passed }) => !passed)
for (const { name, output } of failed) console.error(`\n── ${name} ──\n${output}`)
if (failed.length > 0) process.exitCode = 1
