// The scopes of API keys, as people read them and as the API takes them.

export const SCOPES = [
  { scope: 'payments', permission: 'payments', isUsual: true },
  { scope: 'payments_view', permission: 'payments-view', isUsual: false },
  { scope: 'marketplace_view', permission: 'marketplace-view', isUsual: true },
  { scope: 'marketplace_manage', permission: 'marketplace-manage', isUsual: true },
  { scope: 'subscriptions_view', permission: 'subscriptions-view', isUsual: true },
  { scope: 'subscriptions_manage', permission: 'subscriptions-manage', isUsual: true },
  { scope: 'webhooks_manage', permission: 'webhooks-manage', isUsual: true },
  { scope: 'settings_manage', permission: 'settings-manage', isUsual: false },
  { scope: 'keys_manage', permission: 'keys-manage', isUsual: false },
  { scope: 'audit_view', permission: 'audit-view', isUsual: false },
] as const

export type KeyScope = (typeof SCOPES)[number]['scope']
