// Where a person does here what an alert names as a command.

/** Where a command is carried out, by its first words, the more specific ones first. Each place is the text that names it. */
const PLACES = [
  ['transfer list --status held', 'stoppedTransfers'],
  ['transfer list --status failed', 'stoppedTransfers'],
  ['transfer retry', 'stoppedTransfers'],
  ['transfer list', 'queues'],
  ['held', 'heldMoney'],
  ['halt', 'halts'],
  ['token', 'tokens'],
  ['account', 'businesses'],
  ['marketplace', 'applications'],
] as const

export type Place = (typeof PLACES)[number][1]

/** The parts of the overview that are places, by the ids of their elements. */
export const PARTS = { heldMoney: 'held', halts: 'halts', stoppedTransfers: 'stopped', queues: 'queues' } as const

/** Returns the places in which the commands of an alert can be carried out, each once. A command is between backticks. */
export function placesIn(alert: string): readonly Place[] {
  const commands = [...alert.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command)
  const found = commands.flatMap((command) => {
    const place = PLACES.find(([words]) => command.startsWith(words))
    return place === undefined ? [] : [place[1]]
  })
  return [...new Set(found)]
}
