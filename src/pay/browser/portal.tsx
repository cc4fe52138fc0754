// The script of the page of a subscription's portal.
import { takeOver } from '#pay/browser/take-over.tsx'
import { PortalView } from '#pay/views/portal.tsx'

takeOver('portal', (state) => <PortalView state={state} />)
