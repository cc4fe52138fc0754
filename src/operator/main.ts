import { environment } from '#config/environment.ts'
import { runOperator } from './program.ts'

process.exitCode = await runOperator(process.argv.slice(2), environment(), {
  out: console.log,
  err: console.error,
  redraw: process.stderr.isTTY ? (text) => process.stderr.write(text) : null,
})
