/** The operations of a proposal in their order, each with its input and why it is refused now. */
import { useMutation } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { Card } from '../ui/primitives.tsx'
import { toastError } from '../ui/toast.tsx'
import { EditOperation } from './edit-operation.tsx'
import { formatInput, formatOperation } from './labels.ts'
import css from './proposals.module.css'
import { type Operation, refreshProposals } from './queries.ts'

const Refused = ({ error }: { readonly error: NonNullable<Operation['error']> }) => (
  <div className={css.refusal}>
    <p>{error.error}</p>
    <ul>
      {error.details.map(({ field, message }) => (
        <li key={`${field} ${message}`}>
          <span className="mono">{field}</span> {message}
        </li>
      ))}
    </ul>
  </div>
)

/** A long input stays closed. */
const MOST_OPEN = 8

const Input = ({ input }: { readonly input: NonNullable<Operation['input']> }) => {
  const fields = Object.entries(input)
  return (
    <details open={fields.length <= MOST_OPEN}>
      <summary>{plural(fields.length, 'field')}</summary>
      <dl className={css.input}>
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd>{formatInput(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

type RowProps = {
  readonly operation: Operation
  readonly onEdit: (() => void) | undefined
  readonly onRemove: (() => void) | undefined
}

const Row = ({ operation: called, onEdit, onRemove }: RowProps) => {
  const { id, operation, input, note, added_by, error } = called
  return (
    <li className={css.operation}>
      <p className={css.rowHead}>
        <span className="mono muted">{id}</span>
        <b title={operation}>{formatOperation(called)}</b>
        {note !== '' && <span>{note}</span>}
        <span className={css.since}>{added_by}</span>
        {onEdit && input && (
          <Button isIcon look="quiet" aria-label={`Edit operation ${id}`} onClick={onEdit}>
            <Pencil size={14} aria-hidden="true" />
          </Button>
        )}
        {onRemove && (
          <Button isIcon look="quiet" aria-label={`Remove operation ${id}`} onClick={onRemove}>
            <Trash2 size={14} aria-hidden="true" />
          </Button>
        )}
      </p>
      {error && <Refused error={error} />}
      {input === null ? <p className="muted">It touches objects that you do not see.</p> : <Input input={input} />}
    </li>
  )
}

type Props = { readonly proposal: Proposal; readonly isEditable: boolean }

export const OperationsCard = ({ proposal, isEditable }: Props) => {
  const { number, operations } = proposal
  const id = String(number)
  const [edited, setEdited] = useState<Operation>()
  const [removed, setRemoved] = useState<Operation>()
  const remove = useMutation({
    mutationFn: (operation: Operation) => api.proposals.removeOperation({ id, operation_id: operation.id }),
    onSuccess: refreshProposals,
    onError: (error) => toastError('It is still there', error),
  })
  return (
    <Card title={plural(operations.length, 'operation')}>
      {operations.length === 0 && (
        <p className="muted">None yet. See it in the pages: what you change there is noted here.</p>
      )}
      <ol className={css.operations}>
        {operations.map((operation) => (
          <Row
            key={operation.id}
            operation={operation}
            onEdit={isEditable ? () => setEdited(operation) : undefined}
            onRemove={isEditable ? () => setRemoved(operation) : undefined}
          />
        ))}
      </ol>
      {edited?.input && (
        <EditOperation id={id} operation={edited} input={edited.input} onClose={() => setEdited(undefined)} />
      )}
      {removed && (
        <Confirm
          title={`Remove operation ${removed.id}?`}
          action="Remove"
          onConfirm={() => remove.mutate(removed)}
          onClose={() => setRemoved(undefined)}
        >
          {formatOperation(removed)}. The others are tried again without it.
        </Confirm>
      )}
    </Card>
  )
}
