/** The master file of a zone (RFC 1035 section 5), to read and to download. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, request } from '../api/client.ts'
import { toAppError } from '../api/errors.ts'
import { save } from '../export/save.ts'
import { type Feed, feedsQuery } from '../feeds/queries.ts'
import { createForbidden, usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Skeleton, useCopy } from '../ui/primitives.tsx'
import { Failure, State } from '../ui/states.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './dns.module.css'
import type { Zone } from './queries.ts'

/** @example buildFileName('0/26.2.0.192.in-addr.arpa') // '0-26.2.0.192.in-addr.arpa.zone' */
const buildFileName = (zone: string): string => `${zone.replaceAll('/', '-')}.zone`

/** Returns the permission that the preview of the file lacks. */
const useMissing = (): string | undefined => {
  const { may } = usePermit()
  const edits = may('feeds:create') || may('feeds:update') ? [] : ['feeds:update']
  return [...edits, ...['feeds:read', 'dns:read'].filter((one) => !may(one))][0]
}

/** The feeds that give the file to other programs. */
const useZoneFeeds = ({ id }: Zone): readonly Feed[] => {
  const { may } = usePermit()
  const { data } = useQuery({ ...feedsQuery, enabled: may('feeds:list') })
  return data?.filter(({ zone_id }) => zone_id === id) ?? []
}

const Feeds = ({ own }: { readonly own: readonly Feed[] }) => {
  if (own.length === 0)
    return (
      <span className="muted">
        A{' '}
        <Link to="/feeds" search={{ new: '1' }} className="link">
          feed
        </Link>{' '}
        of the format “DNS zone” gives this file to a server that pulls it.
      </span>
    )
  return (
    <span className="muted">
      Given to other programs by{' '}
      {own.map(({ id, name, url }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <Link to="/feeds/$id" params={{ id }} search={{}} className="link">
            {name}
          </Link>{' '}
          (
          <a href={url} className="link" target="_blank" rel="noreferrer">
            whole file
          </a>
          )
        </span>
      ))}
      .
    </span>
  )
}

const File = ({ zone }: { readonly zone: Zone }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['dns-zone', zone.id, 'file', zone.serial],
    queryFn: ({ signal }) => api.feeds.preview({ format: 'zone', zone_id: zone.id }, { signal }),
  })
  const own = useZoneFeeds(zone)
  const [feed] = own
  // The preview of a large zone is cut.
  const isWhole = data !== undefined && !data.is_cut
  const download = useMutation({
    mutationFn: async () =>
      isWhole || !feed ? (data?.content ?? '') : (await request(feed.url, { method: 'GET' })).text(),
    onSuccess: (text) => save(buildFileName(zone.name), 'text/plain', text),
    onError: (error) => toastError('The file could not be downloaded', error),
  })
  const { isCopied, copy, icon } = useCopy(data?.content ?? '', 14)
  if (error && !data) return <Failure error={toAppError(error)} onRetry={() => void refetch()} />
  return (
    <section className={css.file} aria-label="File">
      <header className={css.compared}>
        <span className={css.about}>
          <span>Serial {zone.serial}</span> <Feeds own={own} />
        </span>
        <Button onClick={copy} disabled={!isWhole} aria-label={isCopied ? 'Copied' : 'Copy the file'}>
          {icon}
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          onClick={() => download.mutate()}
          disabled={!data || download.isPending}
          blocked={data?.is_cut && !feed ? 'The zone is large: make a feed of it first' : undefined}
        >
          Download
        </Button>
      </header>
      {data?.is_cut && (
        <p className={css.note}>
          Only the first {formatCount(data.content.length)} characters are shown. A feed gives the whole file.
        </p>
      )}
      {data ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
        <pre className={css.text} tabIndex={0}>
          {data.content}
        </pre>
      ) : (
        <div className={css.text} role="status" aria-label="Loading">
          <Skeleton width="60%" />
        </div>
      )}
    </section>
  )
}

export const FileTab = ({ zone }: { readonly zone: Zone }) => {
  const missing = useMissing()
  const { blockedNow } = usePermit()
  if (zone.nameservers.length === 0 || zone.admin_email === '')
    return (
      <State
        title="The zone has no file yet"
        text="A file needs name servers and the mailbox of the SOA. The settings have both."
      >
        {blockedNow('dns:update') === undefined && (
          <Link to="." search={(old: object) => ({ ...old, edit: zone.id })} className="link">
            Open the settings
          </Link>
        )}
      </State>
    )
  return missing === undefined ? <File zone={zone} /> : <Failure error={createForbidden(missing)} />
}
