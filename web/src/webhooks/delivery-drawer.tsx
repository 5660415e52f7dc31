/** One delivery: its payload, its headers, and its attempts. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { api } from '../api/client.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { formatMoment, plural } from '../ui/format.ts'
import { Drawer } from '../ui/layers.tsx'
import { Badge, CopyText, Facts } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { DeliveryBadge, NextTry } from './delivery-marks.tsx'
import { CopyButton, JsonView } from './json-view.tsx'
import { type Delivery, deliveryQuery, type Webhook } from './queries.ts'
import css from './webhooks.module.css'

const Attempts = ({ delivery: { attempts } }: { readonly delivery: Delivery }) => (
  <ol className={css.attempts}>
    {attempts.map(({ at, response_code, error, duration_ms }, index) => (
      <li key={at}>
        <span className={css.number}>{index + 1}</span>
        <time dateTime={at} className="mono">
          {formatMoment(at)}:{at.slice(17, 19)}
        </time>
        <span>
          {error === '' ? (
            <Badge tone="ok">{response_code}</Badge>
          ) : (
            <Badge tone="bad">{response_code ?? 'no answer'}</Badge>
          )}
        </span>
        <span className={css.figure}>{duration_ms} ms</span>
        {error !== '' && <span className={css.attemptError}>{error}</span>}
      </li>
    ))}
  </ol>
)

/** The headers that the server sends. The timestamp and the signature belong to an attempt. */
const useSentHeaders = (
  webhook: Webhook,
  { id, event, attempts, change_id }: Delivery,
): readonly (readonly [string, string])[] => {
  const { data } = useQuery(serverConfigQuery)
  const at = attempts.at(-1)?.at
  const seconds = at === undefined ? 'of the attempt, in seconds' : String(Math.floor(Date.parse(at) / 1000))
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', `Plat/${data?.version ?? ''}`],
    ['X-Service-Event', event],
    ['X-Service-Delivery', id],
    ['X-Service-Timestamp', seconds],
    ...(change_id === '' ? [] : [['X-Service-Change', change_id] as const]),
    ...(webhook.has_secret ? [['X-Service-Signature', 'sha256=… (HMAC-SHA256 of the body)'] as const] : []),
    ...Object.entries(webhook.headers),
  ]
}

const Headers = ({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) => (
  <dl className={css.sentHeaders}>
    {useSentHeaders(webhook, delivery).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

const Detail = ({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) => {
  const { attempts, response_body, payload, status, next_retry } = delivery
  return (
    <>
      <section className={fieldCss.block}>
        <Facts
          facts={[
            ['Status', <DeliveryBadge key="status" status={status} />],
            ...(next_retry === null ? [] : [['Tried again', <NextTry key="next" delivery={delivery} />] as const]),
            ['Event', <CopyText key="event" text={delivery.event} label="event" />],
            ['ID', <CopyText key="id" text={delivery.id} label="delivery ID" />],
          ]}
        />
      </section>
      <section className={fieldCss.block}>
        <h3>{attempts.length === 0 ? 'Not tried yet' : plural(attempts.length, 'attempt')}</h3>
        <Attempts delivery={delivery} />
      </section>
      {response_body !== '' && (
        <section className={fieldCss.block}>
          <h3>Last answer · at most 4 KB of it</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
          <pre className={css.code} tabIndex={0}>
            {response_body}
          </pre>
        </section>
      )}
      {webhook.format !== 'email' && (
        <section className={fieldCss.block}>
          <h3>Headers</h3>
          <Headers webhook={webhook} delivery={delivery} />
        </section>
      )}
      <section className={fieldCss.block}>
        <div className={css.codeHead}>
          <h3>Body</h3>
          {payload !== null && <CopyButton text={JSON.stringify(payload)} label="the body" />}
        </div>
        {payload === null ? (
          <p className="muted">Body and answer are withheld: they need the permission for the event.</p>
        ) : (
          <JsonView value={payload} />
        )}
      </section>
    </>
  )
}

const Again = ({ webhook, id }: { readonly webhook: Webhook; readonly id: string }) => {
  const { blocked } = usePermit()
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: () => api.webhooks.redeliver({ id: webhook.id, delivery_id: id }),
    onSuccess: () => {
      toast('It is sent again, with the same id')
      void client.invalidateQueries({ queryKey: ['deliveries', webhook.id] })
    },
    onError: (error) => toastError('It is not sent again', error),
  })
  const off = webhook.enabled ? undefined : 'The webhook is not enabled'
  return (
    <Button
      look="primary"
      onClick={() => again.mutate()}
      disabled={again.isPending}
      blocked={blocked('webhook:update') ?? off}
    >
      <RotateCw size={14} aria-hidden="true" />
      Send it again
    </Button>
  )
}

type Props = { readonly webhook: Webhook; readonly id: string; readonly onClose: () => void }

export const DeliveryDrawer = ({ webhook, id, onClose }: Props) => {
  const { data, error, refetch } = useQuery(deliveryQuery(webhook.id, id))
  return (
    <Drawer title={data ? `Delivery of ${data.event}` : 'Delivery'} onClose={onClose} isWide>
      <div className={fieldCss.body}>
        {!data && error && <Failure error={error} onRetry={() => void refetch()} noun="delivery" />}
        {!data && !error && <PageLoading />}
        {data && <Detail webhook={webhook} delivery={data} />}
      </div>
      <footer className={fieldCss.foot}>
        <Again webhook={webhook} id={id} />
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Drawer>
  )
}
