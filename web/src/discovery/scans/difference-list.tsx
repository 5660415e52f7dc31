/** The differences of one device, field by field: documented and observed. */
import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, Lock } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Tag } from '../../ui/primitives.tsx'
import css from '../inbox.module.css'
import { formatReason, getFieldName, isContradiction } from '../labels.ts'
import type { Difference, InboxItem } from '../shapes.ts'

/** Facts about cabling, reported by switches and neighbors. */
const KINDS: Readonly<Record<string, string>> = { connected_to: 'relationship', switch_port: 'switch port' }

const Observed = ({ difference }: { readonly difference: Difference }) => {
  const { field, observed, target_id } = difference
  if (target_id === null) return <ins>{observed}</ins>
  return field === 'connected_to' ? (
    <Link to="/devices/$id" params={{ id: target_id }} className={css.target}>
      <ins>{observed}</ins>
    </Link>
  ) : (
    <>
      <ins>{observed}</ins>{' '}
      <Link to="." search={(old: object) => ({ ...old, entry: target_id })} className="link">
        the other one
      </Link>
    </>
  )
}

export type FieldActions = {
  readonly document: ((field: Difference['field']) => void) | undefined
  readonly lock: ((field: Difference['field']) => void) | undefined
  readonly noDocument: string | undefined
  readonly noLock: string | undefined
  readonly isBusy: boolean
}

type RowProps = { readonly name: string; readonly difference: Difference; readonly actions: FieldActions | undefined }

const Row = ({ name, difference, actions }: RowProps) => {
  const { field, documented, because } = difference
  const text = getFieldName(field)
  const kind = KINDS[field]
  return (
    <li className={css.difference}>
      <span className={css.field}>{text}</span>
      <span className={css.values}>
        {documented !== '' && (
          <>
            <del>{documented}</del>
            <ArrowRight size={13} aria-label="seen as" />
          </>
        )}
        <Observed difference={difference} />
        {kind !== undefined && <Tag>{kind}</Tag>}
      </span>
      <span className={css.because} title={formatReason(because)}>
        {formatReason(because)}
      </span>
      {actions && (
        <span className={css.fieldTools}>
          {actions.document && (
            <Button
              isIcon
              look="quiet"
              aria-label={`Document ${text} of ${name}`}
              title={`Document ${text}`}
              disabled={actions.isBusy}
              blocked={actions.noDocument}
              onClick={() => actions.document?.(field)}
            >
              <Check size={15} aria-hidden="true" />
            </Button>
          )}
          {actions.lock && !isContradiction(difference) && (
            <Button
              isIcon
              look="quiet"
              aria-label={`Lock ${text} of ${name}`}
              title={`Never propose ${text} of this device again`}
              disabled={actions.isBusy}
              blocked={actions.noLock}
              onClick={() => actions.lock?.(field)}
            >
              <Lock size={14} aria-hidden="true" />
            </Button>
          )}
        </span>
      )}
    </li>
  )
}

type Props = { readonly item: InboxItem; readonly name: string; readonly actions?: FieldActions | undefined }

/** The heading of a new device already shows its name and address. */
const isSaid = ({ bucket, ip }: InboxItem, name: string, { observed }: Difference): boolean =>
  bucket === 'new' && (observed === name || observed === ip)

export const DifferenceList = ({ item, name, actions }: Props) => {
  const differences = item.fields.filter((one) => !isSaid(item, name, one))
  if (differences.length === 0) return null
  return (
    <ul className={css.differences}>
      {differences.map((difference) => (
        <Row
          key={`${difference.field} ${difference.target_id} ${difference.observed}`}
          name={name}
          difference={difference}
          actions={actions}
        />
      ))}
    </ul>
  )
}
