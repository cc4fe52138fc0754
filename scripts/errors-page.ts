// docs/errors.md, made from the table of errors.
import { ERROR_SECTIONS } from '#graphql/error-map.ts'

const HEAD = `# Errors

<!-- Written by \`npm run errors\` from src/graphql/error-map.ts. Change the table there. -->

Each error has a code: \`extensions.code\` in GraphQL, the header \`Error-Code\` in REST next to the status and
\`{"error": "<message>"}\`. Branch on the code or on the status: a code keeps its meaning, and messages are for people, and change.

- A message names a field as the caller's edge names it: \`amount_usd_cents\` in REST, \`amountUsdCents\` in GraphQL.
- GraphQL answers a refused field with HTTP status 200, \`null\` for the field, and the error with its \`path\`. A request that is refused by
  its form or its credential has the status of its code. An operation that is refused as a whole, for its document, its name or its
  variables for example, has no \`data\`: its status is that of its code for a client that accepts
  \`application/graphql-response+json\`, and 200 for one that accepts \`application/json\` only.
- Every answer has the header \`x-request-id\`: yours, when you send one of letters, digits and \`_.:-\`, or a new one. Name it with the code
  when you ask the operator for help: the log of the service has the request, and the cause of a 500, under this id. In GraphQL a 500 has
  it as \`extensions.requestId\` too.
- In GraphQL an \`invalid_request\` about one field, argument or variable has its name as \`extensions.field\`, such as \`amountUsdCents\`.
`

const table = ({ title, errors }: (typeof ERROR_SECTIONS)[number]): string => {
  const rows = Object.entries(errors).map(
    ([code, { status, meaning, remedy }]) => `| ${status} \`${code}\` | ${meaning} | ${remedy} |`,
  )
  return [`## ${title}`, '', '| code | meaning | what to do |', '|---|---|---|', ...rows, ''].join('\n')
}

export const errorsPage = (): string => [HEAD, ...ERROR_SECTIONS.map(table)].join('\n')
