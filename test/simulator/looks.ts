// The business and the buyer of a payment read its status while it is under way.
import { ServiceError } from '#core/errors.ts'
import type { Dice } from './dice.ts'
import { statusesOf } from './monitor/answers.ts'
import { ask, type Order, type People } from './people.ts'
import { virtualNow } from './virtual-time.ts'

const LOOKS = 8
const SOON_MS = 5_000
const LATE_MS = 900_000

/** Looks from time to time: often at first, and for hours. */
export async function lookFromTimeToTime(people: People, dice: Dice, made: Order): Promise<void> {
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    const most = Math.floor((LATE_MS * looks) / LOOKS)
    await people.ground.scheduler.at(virtualNow() + dice.between(SOON_MS, most), 'a person looks')
    await people.monitor.reportedEvents.checkLook(made.id, () => look(people, dice, made))
  }
}

async function look(people: People, dice: Dice, { id, payee, index, secret }: Order) {
  const isBuyer = dice.chance(0.5)
  const answer = await ask(people, dice, ({ intents }) => {
    const statuses = statusesOf(intents)
    return isBuyer && secret !== null ? statuses.ofBuyer(secret) : statuses.ofBusiness(payee.caller.accountId, index)
  })
  if (people.monitor.isForgotten(id)) return null
  const isRefused = answer instanceof ServiceError
  people.findings.check('an answer shows the newest state', !isRefused, () => `intent ${index}: ${String(answer)}`)
  return isRefused ? null : answer
}
