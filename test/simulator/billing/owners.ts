// Owners of wallets, and the issuer of the token: what they do to the account of a subscriber.
import { createWallet, type Wallet } from '../chain/wallets.ts'
import type { Fault } from '../faults.ts'
import { count, DAY, HOUR, MINUTE, type Scene } from './scene.ts'

/** The owner or the issuer does something to the account of a subscriber. */
export async function actOnWallet(scene: Scene, wallet: Wallet): Promise<void> {
  const { accounts, dice, wait, monitor } = scene
  const { address } = wallet
  const account = monitor.acts.account
  const note = (act: Fault): void => {
    account.note(address)
    count(scene, act)
  }
  const later = async (act: Fault, undo: () => Promise<void>): Promise<void> => {
    if (dice.chance(0.2)) return
    await wait(MINUTE, dice.pick([HOUR, DAY, 9 * DAY]))
    note(act)
    await undo()
    account.note(address)
  }
  switch (dice.pick(['revoke', 'replace', 'lower', 'empty', 'empty', 'empty', 'freeze', 'freeze', 'close'] as const)) {
    case 'revoke':
      note('allowance revoked')
      return await accounts.revoke(wallet)
    case 'replace':
      note('allowance given to another')
      return await accounts.giveToAnother(wallet, createWallet(dice).address)
    case 'lower':
      note('allowance lowered')
      return await accounts.allow(wallet, BigInt(dice.between(1, 6_000)))
    case 'empty':
      note('wallet emptied')
      await accounts.empty(wallet)
      return await later('wallet refilled', () => accounts.refill(wallet))
    case 'freeze':
      note('subscriber frozen')
      await accounts.freeze(address)
      return await later('wallet refilled', () => accounts.thaw(address))
    case 'close':
      note('subscriber account closed')
      await accounts.close(wallet)
      return await later('wallet refilled', () => accounts.refill(wallet))
  }
}
