/** The definitions of a resource by group, in the order of forms. They are dragged, or moved by Alt and the arrows. */
import { GripVertical, Pencil, Trash2 } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'
import { describeOwner, findPack } from '../../resource/object/pack-owner.ts'
import { announced } from '../../shell/announcer.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { Badge } from '../../ui/primitives.tsx'
import css from '../custom-fields.module.css'
import { TYPE_TITLES } from '../definition-text.ts'
import { getUngrouped } from '../definitions.ts'
import { filterByGroup, findNextPlace, listGroupNames, type Place } from './order.ts'

type Actions = {
  readonly onMove: (id: string, place: Place) => void
  readonly onEdit: (field: CustomField) => void
  readonly onDelete: (field: CustomField) => void
  /** Why nothing can be changed or deleted. */
  readonly noUpdate: string | undefined
  readonly noDelete: string | undefined
}

type Props = Actions & { readonly fields: readonly CustomField[] }

const STEPS: Readonly<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowDown: 1 }

/** Tells which fields a pack has brought. */
const describePack = (owner: string): string | undefined =>
  findPack(owner) === undefined ? undefined : describeOwner(owner)

const listMarks = ({ required, unique, multiple, searchable }: CustomField): string[] => [
  ...(required ? ['required'] : []),
  ...(unique ? ['unique'] : []),
  ...(multiple ? ['several'] : []),
  ...(searchable ? ['searched'] : []),
]

type RowProps = Actions & {
  readonly field: CustomField
  readonly isDragged: boolean
  readonly isOver: boolean
  readonly onStep: (field: CustomField, by: -1 | 1) => void
  readonly drag: Readonly<Record<'onDragStart' | 'onDragOver' | 'onDrop' | 'onDragEnd', (event: DragEvent) => void>>
}

const FieldRow = ({ field, isDragged, isOver, onStep, drag, ...actions }: RowProps) => {
  const { id, name, label, type, objects = 0 } = field
  const pack = describePack(field.managed_by)
  const canMove = actions.noUpdate === undefined
  const onKey = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (!event.altKey || by === undefined || !canMove) return
    event.preventDefault()
    onStep(field, by)
  }
  return (
    <li
      className={css.field}
      draggable={canMove}
      data-dragged={isDragged || undefined}
      data-over={isOver || undefined}
      onKeyDown={onKey}
      {...(canMove && drag)}
    >
      {canMove && <GripVertical size={14} className={css.grip} aria-hidden="true" />}
      <button
        type="button"
        id={`field-${id}`}
        className={css.name}
        onClick={() => actions.onEdit(field)}
        aria-keyshortcuts={canMove ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
      >
        <b>{label}</b> {label !== name && <span className="mono muted">{name}</span>}
        {pack !== undefined && <span className={css.pack}>{pack}</span>}
      </button>
      <span className={css.marks}>
        <Badge tone="info">{TYPE_TITLES[type]}</Badge>
        {listMarks(field).map((mark) => (
          <Badge key={mark} tone="idle">
            {mark}
          </Badge>
        ))}
      </span>
      <span className={css.objects}>
        <b className="num">{formatCount(objects)}</b>{' '}
        <span className="muted">{objects === 1 ? 'object' : 'objects'}</span>
      </span>
      <span className={css.tools}>
        <Button
          isIcon
          look="quiet"
          aria-label={`Edit ${label}`}
          onClick={() => actions.onEdit(field)}
          blocked={actions.noUpdate}
        >
          <Pencil size={14} aria-hidden="true" />
        </Button>
        <Button
          isIcon
          look="quiet"
          aria-label={`Delete ${label}`}
          onClick={() => actions.onDelete(field)}
          blocked={actions.noDelete}
        >
          <Trash2 size={14} aria-hidden="true" />
        </Button>
      </span>
    </li>
  )
}

export const FieldList = ({ fields, onMove, ...actions }: Props) => {
  const [dragged, setDragged] = useState<string>()
  const [over, setOver] = useState<string>()
  const focused = useRef<string>(undefined)
  const ungrouped = getUngrouped(fields[0]?.resource ?? '')
  // A field that goes to another group is another element.
  useEffect(() => {
    if (focused.current !== undefined) document.getElementById(`field-${focused.current}`)?.focus()
    focused.current = undefined
  })
  const onStep = (field: CustomField, by: -1 | 1) => {
    const place = findNextPlace(fields, field.id, by)
    if (!place) return
    focused.current = field.id
    onMove(field.id, place)
    announced.set(`${field.label} is now number ${place.index + 1} of ${place.group || ungrouped}`)
  }
  const stop = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  const createDragHandlers = ({ id, group }: CustomField, index: number): RowProps['drag'] => ({
    onDragStart: (event) => {
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', id)
      setDragged(id)
    },
    onDragOver: (event) => {
      if (dragged === undefined) return
      event.preventDefault()
      setOver(id)
    },
    onDrop: (event) => {
      event.preventDefault()
      if (dragged !== undefined && dragged !== id) onMove(dragged, { group, index })
      stop()
    },
    onDragEnd: stop,
  })
  return listGroupNames(fields).map((group) => (
    <section key={group} className={css.section} aria-label={group || ungrouped}>
      <h2>{group || ungrouped}</h2>
      <ol className={css.fields}>
        {filterByGroup(fields, group).map((field, index) => (
          <FieldRow
            key={field.id}
            field={field}
            isDragged={dragged === field.id}
            isOver={over === field.id && dragged !== field.id}
            onStep={onStep}
            onMove={onMove}
            drag={createDragHandlers(field, index)}
            {...actions}
          />
        ))}
      </ol>
    </section>
  ))
}
