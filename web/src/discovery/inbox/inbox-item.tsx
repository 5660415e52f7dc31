/** One item of the inbox: its device, its differences, and the actions on it. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Checkbox } from '../../ui/field.tsx'
import { TimeAgo } from '../../ui/primitives.tsx'
import css from '../inbox.module.css'
import { isContradiction } from '../labels.ts'
import { BucketBadge } from '../marks.tsx'
import { DifferenceList, type FieldActions } from '../scans/difference-list.tsx'
import type { Bucket, InboxItem, Lockable } from '../shapes.ts'
import { getItemName, type Inbox, listNeeds } from './use-inbox.ts'

const ACTIONS: Readonly<Record<Bucket, string>> = {
  new: 'Document',
  changed: 'Document all',
  gone: 'Document as decommissioned',
  conflict: 'Document the discovered value',
}

const MOST_PORTS = 12

/** Returns why items of a bucket can't be documented, or undefined. */
export const useDocumentPermit = (): ((bucket: Bucket) => string | undefined) => {
  const { blocked } = usePermit()
  return (bucket) =>
    listNeeds(bucket)
      .map(blocked)
      .find((reason) => reason !== undefined)
}

export const useFieldActions = (inbox: Inbox, item: InboxItem): FieldActions | undefined => {
  const { blockedNow } = usePermit()
  const noDocument = useDocumentPermit()(item.bucket)
  const { device_id, bucket, id } = item
  // A new device is documented as a whole.
  if (bucket === 'new' || item.ignored) return undefined
  return {
    document: item.fields.length > 1 ? (field) => inbox.document([{ id, fields: [field] }]) : undefined,
    lock:
      device_id === null
        ? undefined
        : (field) => {
            if (isContradiction({ field })) return
            // The check excludes the fields that can not be locked.
            inbox.lock({ device_id, field: field as Lockable })
          },
    noDocument,
    noLock: blockedNow('discovery:update'),
    isBusy: inbox.isBusy,
  }
}

type ActionsProps = {
  readonly inbox: Inbox
  readonly item: InboxItem
  readonly onDone?: () => void
}

export const ItemActions = ({ inbox, item, onDone }: ActionsProps) => {
  const { blockedNow } = usePermit()
  const noDocument = useDocumentPermit()(item.bucket)
  const noIgnore = blockedNow('discovery:update')
  const name = getItemName(item)
  const { id, bucket, ignored, fields } = item
  const text = bucket === 'changed' && fields.length === 1 ? 'Document' : ACTIONS[bucket]
  const run = (action: () => void) => () => {
    action()
    onDone?.()
  }
  if (ignored)
    return (
      <Button
        aria-label={`Put ${name} back`}
        onClick={run(() => inbox.restore([id]))}
        disabled={inbox.isBusy}
        blocked={noIgnore}
      >
        Put back
      </Button>
    )
  return (
    <>
      <Button
        aria-label={`${text}: ${name}`}
        onClick={run(() => inbox.document([{ id }]))}
        disabled={inbox.isBusy}
        blocked={noDocument}
      >
        {inbox.proposing.label(text)}
      </Button>
      <Button
        look="quiet"
        aria-label={`Ignore ${name}`}
        onClick={run(() => inbox.ignore([id]))}
        disabled={inbox.isBusy}
        blocked={noIgnore}
      >
        Ignore
      </Button>
    </>
  )
}

/** Facts that help to identify a new device. */
const Seen = ({ item: { discovered } }: { readonly item: InboxItem }) => {
  const { open_ports, services, mac_address } = discovered
  const products = [...new Set(services.map(({ product, service }) => product || service))].filter(Boolean)
  const facts = [
    mac_address,
    open_ports.length > 0 ? `ports ${open_ports.slice(0, MOST_PORTS).join(', ')}` : '',
    products.join(', '),
  ].filter((text) => text !== '')
  return facts.length === 0 ? null : <p className={css.seen}>{facts.join(' · ')}</p>
}

type Props = {
  readonly inbox: Inbox
  readonly item: InboxItem
  readonly network: ReactNode
  readonly isCurrent: boolean
  readonly isSelected: boolean
  readonly onPoint: () => void
  /** Undefined if the caller may not act on the item. */
  readonly onToggle: ((isRange: boolean) => void) | undefined
}

export const InboxCard = ({ inbox, item, network, isCurrent, isSelected, onPoint, onToggle }: Props) => {
  const actions = useFieldActions(inbox, item)
  const name = getItemName(item)
  const problem = inbox.problems.get(item.id)
  return (
    <li
      className={cx(css.item, isSelected && css.selected)}
      data-item={item.id}
      // The current item has the focus.
      tabIndex={-1}
      aria-current={isCurrent ? 'true' : undefined}
      onPointerDown={onPoint}
    >
      <div className={css.itemHead}>
        {onToggle && (
          <Checkbox
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={(event) => onToggle((event.nativeEvent as MouseEvent).shiftKey)}
          />
        )}
        <Link to="." search={(old: object) => ({ ...old, entry: item.id })} className={css.itemName}>
          {name}
        </Link>
        {item.ignored && <BucketBadge bucket={item.bucket} />}
        {name !== item.ip && <span className="mono muted">{item.ip}</span>}
        {item.hostname !== '' && item.hostname !== name && <span className="muted">{item.hostname}</span>}
        <span className="muted truncate">{network}</span>
        <span className={css.since}>
          <TimeAgo at={item.since} />
        </span>
        <span className={css.itemTools}>
          <ItemActions inbox={inbox} item={item} />
        </span>
      </div>
      <DifferenceList item={item} name={name} actions={actions} />
      {item.bucket === 'new' && <Seen item={item} />}
      {problem !== undefined && (
        <p role="alert" className={css.problem}>
          {problem}
        </p>
      )}
    </li>
  )
}
