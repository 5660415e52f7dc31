/** The matrix of permissions, to be read or to be changed. On a phone, each resource is a block. */
import { useQuery } from '@tanstack/react-query'
import { Check, Minus } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { usePermit } from '../../shell/me.ts'
import { Checkbox } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import { catalogueQuery } from '../queries.ts'
import type { Permission } from '../types.ts'
import css from './matrix.module.css'
import { buildMatrixRows, type MatrixRow, VERBS, withAll } from './matrix.ts'

type Props = {
  readonly label: string
  readonly held: ReadonlySet<string>
  /** Undefined if the matrix is read-only. */
  readonly onChange?: ((held: ReadonlySet<string>) => void) | undefined
  /** Returns the names of the roles that grant a permission. */
  readonly describeSource?: (name: string) => string | undefined
}

type CellProps = Props & { readonly permission: Permission | undefined; readonly isNamed?: boolean }

const Cell = ({ permission, held, onChange, describeSource, isNamed }: CellProps) => {
  const { mayNow, blockedNow } = usePermit()
  const id = useId()
  if (!permission) return <span className={css.none} />
  const { name, action, description } = permission
  const isHeld = held.has(name)
  const text = <span className={isNamed ? css.named : css.verb}>{action}</span>
  if (!onChange)
    return (
      <span className={css.mark} data-held={isHeld || undefined} title={describeSource?.(name) ?? description}>
        {isHeld ? <Check size={15} aria-hidden="true" /> : <Minus size={13} aria-hidden="true" />}
        {text}
        <span className="sr">{`${name}: ${isHeld ? 'yes' : 'no'}`}</span>
      </span>
    )
  return (
    <label className={css.mark} htmlFor={id} title={blockedNow(name) ?? description}>
      <Checkbox
        id={id}
        aria-label={name}
        checked={isHeld}
        disabled={!mayNow(name)}
        onChange={(event) => onChange(withAll(held, [name], event.target.checked))}
      />
      {text}
    </label>
  )
}

type ToggleProps = Props & { readonly names: readonly string[]; readonly text: string; readonly children: ReactNode }

/** Toggles all permissions of a row or column that the caller has. */
const Toggle = ({ held, onChange, names, text, children }: ToggleProps) => {
  const { mayNow } = usePermit()
  const free = names.filter(mayNow)
  if (!onChange) return children
  const isAll = free.length > 0 && free.every((name) => held.has(name))
  return (
    <button
      type="button"
      className={css.toggle}
      aria-label={`${text}: ${isAll ? 'none' : 'all'}`}
      disabled={free.length === 0}
      onClick={() => onChange(withAll(held, free, !isAll))}
    >
      {children}
    </button>
  )
}

const Row = ({ row, ...props }: Props & { readonly row: MatrixRow }) => (
  <tr>
    <th scope="row">
      <Toggle {...props} names={row.all.map(({ name }) => name)} text={row.resource}>
        {row.resource}
      </Toggle>
    </th>
    {VERBS.map((verb) => (
      <td key={verb} data-empty={row.cells[verb] === undefined || undefined}>
        <Cell {...props} permission={row.cells[verb]} />
      </td>
    ))}
    <td className={css.others} data-empty={row.others.length === 0 || undefined}>
      {row.others.map((permission) => (
        <Cell key={permission.name} {...props} permission={permission} isNamed />
      ))}
    </td>
  </tr>
)

const STEPS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Returns the nearest box in a direction. Rows have boxes in different columns. */
const findNeighbour = (table: HTMLElement, from: HTMLElement, [x, y]: readonly [number, number]) => {
  const { left, top } = from.getBoundingClientRect()
  const computeDistance = (one: HTMLElement): number => {
    const at = one.getBoundingClientRect()
    const [dx, dy] = [at.left - left, at.top - top]
    const isAhead = x === 0 ? Math.sign(Math.round(dy)) === y : Math.sign(Math.round(dx)) === x && Math.abs(dy) < 4
    // For up and down, the distance between rows outweighs the offset within the row.
    return isAhead ? Math.abs(dx) + Math.abs(dy) * (x === 0 ? 20 : 1) : Number.POSITIVE_INFINITY
  }
  const boxes = [...table.querySelectorAll<HTMLElement>('tbody input:not(:disabled)')]
  return boxes.reduce<HTMLElement | undefined>(
    (best, one) => (computeDistance(one) < (best ? computeDistance(best) : Number.POSITIVE_INFINITY) ? one : best),
    undefined,
  )
}

export const Matrix = (props: Props) => {
  const { data, error, refetch } = useQuery(catalogueQuery)
  const table = useRef<HTMLTableElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (!step || !table.current || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    findNeighbour(table.current, event.target, step)?.focus()
  }
  if (!data && error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  const rows = buildMatrixRows(data)
  const listNames = (verb: (typeof VERBS)[number]) => rows.flatMap(({ cells }) => cells[verb]?.name ?? [])
  return (
    <table ref={table} className={css.matrix} aria-label={props.label} onKeyDown={onKeyDown}>
      <thead>
        <tr>
          <th scope="col">Resource</th>
          {VERBS.map((verb) => (
            <th key={verb} scope="col">
              <Toggle {...props} names={listNames(verb)} text={verb}>
                {verb}
              </Toggle>
            </th>
          ))}
          <th scope="col">other</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.resource} {...props} row={row} />
        ))}
      </tbody>
    </table>
  )
}
