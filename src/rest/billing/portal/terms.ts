import type { SubscriptionTermsBodyFragment } from '#rest/documents.generated.ts'

/** Returns the body of an outcome: the keys that it has. */
export function termsBody({ outcome, subscription, challenge, ...approval }: SubscriptionTermsBodyFragment): object {
  switch (outcome) {
    case 'changed':
    case 'renewed':
      return { outcome, subscription }
    case 'proof_required':
      return { outcome, challenge }
    case 'approval_required':
      return { outcome, ...approval }
  }
}
