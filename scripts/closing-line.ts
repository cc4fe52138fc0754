// The last line of a test run, for readers who know no test runner: `123 passed, 0 failed`.
import { readFileSync } from 'node:fs'
import { argv } from 'node:process'

/** What of vitest's JSON report is used. */
type Report = {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
}

function readReport(path: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // A run that ended before its report was a failure, whatever it was.
    return { success: false, numPassedTests: 0, numFailedTests: 0 }
  }
}

const report = readReport(argv[2] ?? '')
// A file that could not be loaded, or an error outside every test, fails the run without a failed test.
const failed = report.success ? 0 : Math.max(1, report.numFailedTests)
console.log(`${report.numPassedTests} passed, ${failed} failed`)
