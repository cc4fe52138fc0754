// The signed receipt of what has settled, as a file for the buyer or an auditor. docs/contract.md, "Receipts".
import { useState } from 'preact/hooks'
import { readOnce } from '#dashboard/browser/data.ts'
import type { Fault } from '#dashboard/browser/fault.ts'
import { Button, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { keepFile } from '#dashboard/browser/parts/files.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardChargeReceiptDocument,
  DashboardPaymentReceiptDocument,
  DashboardRefundReceiptDocument,
} from '#dashboard/documents.generated.ts'

const DOCUMENTS = {
  payment: DashboardPaymentReceiptDocument,
  charge: DashboardChargeReceiptDocument,
  refund: DashboardRefundReceiptDocument,
} as const

type Given = { readonly of: keyof typeof DOCUMENTS; readonly id: string }

export function SignedReceipt({ of, id }: Given) {
  const { say } = useWords()
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly fault: Fault | null }>(IDLE)
  const keep = async (): Promise<void> => {
    setState({ isBusy: true, fault: null })
    const asked = await readOnce(DOCUMENTS[of], { id })
    if ('fault' in asked) return setState({ isBusy: false, fault: asked.fault })
    keepFile(`receipt-${id}.jws`, new Blob([asked.data.subject.receipt?.jws ?? ''], { type: 'application/jose' }))
    setState(IDLE)
  }
  return (
    <>
      <Button isBusy={state.isBusy} onPress={() => void keep()}>
        {say('signedReceipt')}
      </Button>
      <FaultNotice fault={state.fault} />
    </>
  )
}

const IDLE = { isBusy: false, fault: null }
