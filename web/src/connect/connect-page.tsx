/** How to connect an AI client to Plat: the way to sign in, and the configuration of each client. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { serverConfigQuery } from '../api/queries.ts'
import { useMe } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { cx } from '../ui/cx.ts'
import { Card, Skeleton } from '../ui/primitives.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { CodeBlock } from './code-block.tsx'
import css from './connect.module.css'
import { CLIENTS, formatSettings, type Step, type Way } from './snippets.ts'

const QUESTIONS = [
  'Which networks in Dublin are nearly full?',
  'Give me a free address for web-04 and record it.',
  'Who is 10.0.1.17, and what depends on it?',
  'What was changed since yesterday?',
]

type WayProps = {
  readonly way: Way
  readonly current: Way
  readonly title: string
  readonly text: string
  readonly isOff?: boolean
}

const WayChoice = ({ way, current, title, text, isOff = false }: WayProps) => {
  const { set } = usePageSearch()
  const isChosen = way === current
  return (
    <button
      type="button"
      className={cx(css.way, isChosen && css.chosen)}
      aria-pressed={isChosen}
      onClick={() => void set({ view: way }, { isReplace: true })}
    >
      <span className={css.wayTitle}>
        {title}
        {isOff && <span className={css.off}>off on this server</span>}
        {isChosen && <Check size={16} aria-hidden="true" />}
      </span>
      <span className="muted">{text}</span>
    </button>
  )
}

const OauthIsOff = () => (
  <Card title="OAuth is off on this server">
    <div className={css.steps}>
      <p>
        Clients can sign in this way once the operator of the server sets these two variables and restarts it. The URL
        is the one at which users and clients reach Plat. It must be https, except on the local machine.
      </p>
      <CodeBlock code={formatSettings(location.origin)} label="the settings" />
      <p className="muted">Until then, use an API key. The steps below apply once OAuth is on.</p>
    </div>
  </Card>
)

const KeyNote = () => (
  <p>
    The client uses an API key, with the permissions of its owner.{' '}
    <Link to="/keys" search={{ new: '1' }} className="link">
      Make an API key
    </Link>{' '}
    for it alone, so that it can be ended by itself; a key of a user with few roles lets it do little.
  </p>
)

const Steps = ({ steps }: { readonly steps: readonly Step[] }) => (
  <ol className={css.steps}>
    {steps.map(({ text, code, file, label = 'the text' }) => (
      <li key={text}>
        <p>{text}</p>
        {code !== undefined && <CodeBlock code={code} label={label} {...(file === undefined ? {} : { file })} />}
      </li>
    ))}
  </ol>
)

export const ConnectPage = () => {
  const me = useMe()
  const { search } = usePageSearch()
  const { data: config } = useQuery(serverConfigQuery)
  const hasOauth = config?.features.oauth === true
  const url = config?.mcp_url || `${location.origin}/mcp`
  const way: Way = search.view === 'key' || search.view === 'oauth' ? search.view : hasOauth ? 'oauth' : 'key'
  const client = CLIENTS.find(({ id }) => id === search.tab) ?? CLIENTS[0]
  return (
    <>
      <PageHead />
      <PageBody>
        <div className={css.page}>
          <p className={css.lead}>
            An MCP client acts for you: with the permissions of <b>{me.username}</b> at most, until you end its access.
          </p>
          {!config ? (
            <Skeleton />
          ) : (
            <>
              <div role="group" aria-label="How it signs in" className={css.ways}>
                <WayChoice
                  way="oauth"
                  current={way}
                  title="Sign in with a browser"
                  text="OAuth: you choose the permissions once. No key to copy or store."
                  isOff={!hasOauth}
                />
                <WayChoice
                  way="key"
                  current={way}
                  title="With an API key"
                  text="For clients without a browser, and where OAuth is off."
                />
              </div>
              {way === 'oauth' && !hasOauth && <OauthIsOff />}
              <section className={css.guide} aria-label="What to do">
                <Tabs label="Client" current={client.id} tabs={CLIENTS.map(({ id, name }) => ({ id, text: name }))} />
                <div className={css.guideBody}>
                  {way === 'key' && <KeyNote />}
                  <Steps steps={client.stepsFor({ url, way })} />
                </div>
              </section>
              <Card title="Then ask, for example">
                <ul className={css.questions}>
                  {QUESTIONS.map((question) => (
                    <li key={question}>“{question}”</li>
                  ))}
                </ul>
              </Card>
              <p className="muted">
                To list these clients and end their access, see{' '}
                <Link to="/account" className="link">
                  your account
                </Link>
                .
              </p>
            </>
          )}
        </div>
      </PageBody>
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
