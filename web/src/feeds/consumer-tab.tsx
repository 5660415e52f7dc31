/** The keys of a feed, and the configuration of the program that reads it. */
import { lazy, Suspense, useState } from 'react'
import { CATALOGUE } from '../../../src/exchange/feeds/catalogue.ts'
import { CodeBlock } from '../connect/code-block.tsx'
import { Card } from '../ui/primitives.tsx'
import { getTitle } from './feed-resource.ts'
import css from './feeds.module.css'
import { fillUsage, NO_KEY } from './labels.ts'
import type { Feed } from './queries.ts'

const KeysCard = lazy(() => import('../account/keys-card.tsx').then((module) => ({ default: module.KeysCard })))

export const buildAbsoluteUrl = ({ url }: Pick<Feed, 'url'>): string => `${location.origin}${url}`

export const ConsumerTab = ({ feed }: { readonly feed: Feed }) => {
  /** The key that was made last. It is kept until the tab is left, to fill in the configuration. */
  const [token, setToken] = useState<string>()
  const url = buildAbsoluteUrl(feed)
  const usage = fillUsage(CATALOGUE[feed.format].usage, { url, server: location.origin, id: feed.id, token })
  return (
    <div className={css.consumer}>
      <Suspense>
        <KeysCard feed={feed} onMade={({ key }) => setToken(key)} />
      </Suspense>
      <Card title={`Configuration for ${getTitle(feed.format)}`}>
        <div className={css.usage}>
          <p className={css.prose} role="status">
            {token === undefined ? (
              <>
                Replace <code className="mono">{NO_KEY}</code> by a key. One that you make here is filled in at once.
              </>
            ) : (
              'The new key is filled in. It can be shown until you leave this tab.'
            )}
          </p>
          {usage.map(({ title, text }) => (
            <CodeBlock key={title} file={title} code={text} label={title} />
          ))}
          <p className={css.prose}>
            The key is a Bearer token of the <code className="mono">Authorization</code> header. A program without such
            a header sends it as the password of Basic authentication, with any user name, or as{' '}
            <code className="mono">?token=</code> in the URL, which proxies may log.
          </p>
        </div>
      </Card>
    </div>
  )
}
