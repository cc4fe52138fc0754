// The last lines of one or several test runs, for readers who see no more of them: each failure with its reason, and then a line
// like `123 passed, 0 failed`.
import { readFileSync } from 'node:fs'
import { argv } from 'node:process'

/** What of vitest's JSON report is used. */
type Report = {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    /** The path of the test file. */
    readonly name: string
    /** Why the file failed outside its tests. */
    readonly message: string
    readonly assertionResults: readonly { status: string; fullName: string; failureMessages: readonly string[] }[]
  }[]
}

function readReport(path: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // A run that ended before its report was a failure, whatever it was.
    return { success: false, numPassedTests: 0, numFailedTests: 0, testResults: [] }
  }
}

const reports = argv.slice(2).map(readReport)
const passed = reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0)
const failed = reports.reduce((sum, report) => sum + failuresOf(report), 0)
for (const failure of reports.flatMap(failuresIn)) console.log(failure)
console.log(`${passed} passed, ${reports.length === 0 ? 1 : failed} failed`)

/** A file that could not be loaded, or an error outside every test, fails the run without a failed test. */
function failuresOf({ success, numFailedTests }: Report): number {
  return success ? 0 : Math.max(1, numFailedTests)
}

function failuresIn({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`failed: ${name}\n${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `failed: ${name}: ${fullName}\n${failureMessages.join('\n')}`),
  ])
}
