// The script of the page on which a wallet gets links to its subscriptions.
import { takeOver } from '#pay/browser/take-over.tsx'
import { RecoveryView } from '#pay/views/recovery.tsx'

takeOver('recovery', () => <RecoveryView />)
