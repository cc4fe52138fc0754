// The frame of the dashboard, and which page is in it. Without a session every address shows the way in.

import { useEffect, useRef } from 'preact/hooks'
import { LocationProvider, Route, useLocation } from 'preact-iso/router'
import { reconnect } from '#dashboard/browser/client.ts'
import { useLive, useRead } from '#dashboard/browser/data.ts'
import { MeProvider } from '#dashboard/browser/me.ts'
import { HomePage } from '#dashboard/browser/pages/home.tsx'
import { JoinPage, LogInPage } from '#dashboard/browser/pages/login.tsx'
import { PaymentsPage } from '#dashboard/browser/pages/payments.tsx'
import { Dialog } from '#dashboard/browser/parts/basics.tsx'
import { Frame, loadedPage, Outside } from '#dashboard/browser/parts/frame.tsx'
import { StepUpProvider } from '#dashboard/browser/parts/step-up.tsx'
import { WaysIn } from '#dashboard/browser/parts/ways-in.tsx'
import {
  AUDIT_LOG,
  COUPONS,
  DEVELOPERS,
  EVENTS,
  HOME,
  JOIN,
  MARKETPLACE,
  MARKETPLACE_AUDIT,
  MARKETPLACE_FIGURES,
  MARKETPLACE_TERMS,
  NEW_PAYMENT,
  PAYMENTS,
  PRODUCTS,
  paymentPath,
  productPath,
  REFUNDS,
  REQUESTS,
  refundPath,
  SETTINGS,
  SUBSCRIPTION_FIGURES,
  SUBSCRIPTIONS,
  sellerPath,
  subscriptionPath,
} from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import {
  DashboardLogOutDocument,
  DashboardMeDocument,
  type DashboardMeFragment,
} from '#dashboard/documents.generated.ts'
import type { TextKey } from '#dashboard/texts/texts.ts'

// Only what is shown first is in the script. All other pages are one file, so that the first one waits for few.
const more = () => import('#dashboard/browser/pages/more.ts')
const SubscriptionsPage = loadedPage(async () => (await more()).SubscriptionsPage)
const SubscriptionPage = loadedPage(async () => (await more()).SubscriptionPage)
const SubscriptionFiguresPage = loadedPage(async () => (await more()).SubscriptionFiguresPage)
const ProductsPage = loadedPage(async () => (await more()).ProductsPage)
const CouponsPage = loadedPage(async () => (await more()).CouponsPage)
const ProductPage = loadedPage(async () => (await more()).ProductPage)
const SellersPage = loadedPage(async () => (await more()).SellersPage)
const SellerPage = loadedPage(async () => (await more()).SellerPage)
const FiguresPage = loadedPage(async () => (await more()).FiguresPage)
const MarketplaceAuditPage = loadedPage(async () => (await more()).MarketplaceAuditPage)
const TermsPage = loadedPage(async () => (await more()).TermsPage)
const SettingsPage = loadedPage(async () => (await more()).SettingsPage)
const AuditPage = loadedPage(async () => (await more()).AuditPage)
const PaymentPage = loadedPage(async () => (await more()).PaymentPage)
const RefundsPage = loadedPage(async () => (await more()).RefundsPage)
const RefundPage = loadedPage(async () => (await more()).RefundPage)
const NewPaymentPage = loadedPage(async () => (await more()).NewPaymentPage)
const EventsPage = loadedPage(async () => (await more()).EventsPage)
const RequestsPage = loadedPage(async () => (await more()).RequestsPage)
const DevelopersPage = loadedPage(async () => (await more()).DevelopersPage)

export const App = () => (
  <LocationProvider scope={HOME}>
    <StepUpProvider>
      <Entrance />
    </StepUpProvider>
  </LocationProvider>
)

function Entrance() {
  const { path } = useLocation()
  const { data, fault, isLoggedOut } = useRead(DashboardMeDocument, {}, { pause: path === JOIN })
  if (path === JOIN) return <JoinPage />
  if (data !== null)
    return (
      <>
        <Dashboard me={data.me} />
        {isLoggedOut && <LogInAgain />}
      </>
    )
  return (
    <Outside fault={fault} isLoggedOut={isLoggedOut || (fault === null && !site.hasSession)}>
      <LogInPage />
    </Outside>
  )
}

/** Lets a person log in again without leaving the page, and what was entered there. */
function LogInAgain() {
  const { say } = useWords()
  return (
    <Dialog title={say('logInTitle')} onClose={null}>
      <p>{say('unauthenticated')}</p>
      <WaysIn purpose={{ kind: 'log_in' }} onDone={reconnect} />
    </Dialog>
  )
}

/** A page with a permission is for the members who have it. */
const PAGES: readonly (readonly [path: string, label: TextKey, permission?: string])[] = [
  [HOME, 'home'],
  [PAYMENTS, 'payments'],
  [MARKETPLACE, 'marketplacePage', 'marketplace-view'],
  [SUBSCRIPTIONS, 'subscriptions', 'subscriptions-view'],
  [DEVELOPERS, 'developers'],
  [SETTINGS, 'settings'],
]

function Dashboard({ me }: { me: DashboardMeFragment }) {
  const { say } = useWords()
  const isLost = useLive()
  const { id } = me.member
  const first = useRef(id)
  // Another member has logged in meanwhile, to whom nothing of what is here belongs.
  useEffect(() => {
    if (first.current !== id) location.reload()
  }, [id])
  const { business, member, permissions } = me
  const pages = PAGES.filter(([, , permission]) => permission === undefined || permissions.includes(permission))
  return (
    <MeProvider value={me}>
      <Frame
        title={<bdi>{business.name}</bdi>}
        hint={
          <>
            <bdi>{member.name}</bdi> · {say(member.role)}
          </>
        }
        pages={pages.map(([path, label]) => [path, say(label)] as const)}
        logOut={DashboardLogOutDocument}
        banner={site.isSandbox ? say('sandbox') : business.mode === 'test' ? say('testMode') : null}
        warning={business.disabledReason == null ? null : say('disabledBanner', { reason: business.disabledReason })}
        isLost={isLost}
      >
        <Route path={HOME} component={HomePage} />
        <Route path={PAYMENTS} component={PaymentsPage} />
        <Route path={NEW_PAYMENT} component={NewPaymentPage} />
        <Route path={REFUNDS} component={RefundsPage} />
        <Route path={refundPath(':id')} component={RefundPage} />
        <Route path={SUBSCRIPTIONS} component={SubscriptionsPage} />
        <Route path={MARKETPLACE} component={SellersPage} />
        <Route path={MARKETPLACE_FIGURES} component={FiguresPage} />
        <Route path={MARKETPLACE_AUDIT} component={MarketplaceAuditPage} />
        <Route path={MARKETPLACE_TERMS} component={TermsPage} />
        <Route path={sellerPath(':id')} component={SellerPage} />
        <Route path={SUBSCRIPTION_FIGURES} component={SubscriptionFiguresPage} />
        <Route path={PRODUCTS} component={ProductsPage} />
        <Route path={COUPONS} component={CouponsPage} />
        <Route path={productPath(':id')} component={ProductPage} />
        <Route path={subscriptionPath(':id')} component={SubscriptionPage} />
        <Route path={DEVELOPERS} component={DevelopersPage} />
        <Route path={EVENTS} component={EventsPage} />
        <Route path={REQUESTS} component={RequestsPage} />
        <Route path={SETTINGS} component={SettingsPage} />
        <Route path={AUDIT_LOG} component={AuditPage} />
        <Route path={paymentPath(':id')} component={PaymentPage} />
      </Frame>
    </MeProvider>
  )
}
