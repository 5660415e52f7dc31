/** The table of more devices than the browser holds: its view, the line below its filter, its selection and its file. */
import { api } from '../../api/client.ts'
import type { Column, Sorting } from '../../table/column.ts'
import css from '../../table/table.module.css'
import { createTall } from '../../table/tall.ts'
import type { Selecting } from '../../table/use-selection.ts'
import type { TableView } from '../../table/view.ts'
import { formatCount, plural } from '../../ui/format.ts'
import type { DeviceRow } from '../column-spec.ts'
import { createMatching, MATCHING_PAGE } from './matching-pages.ts'
import type { Matching, SelectedDevices } from './server-filter.ts'
import type { DevicesView, Param, WindowedState } from './windowed-state.ts'

/** Returns the parameters as the input of the list. */
const toInput = (params: readonly Param[]) => {
  const tags = params.flatMap(([name, value]) => (name === 'tags' ? [value] : []))
  const others = Object.fromEntries(params.filter(([name]) => name !== 'tags'))
  return { ...others, ...(tags.length > 0 ? { tags } : {}) }
}

const listPage = (params: readonly Param[], limit: number, offset: number) =>
  api.devices.list({ ...toInput(params), limit, offset })

const selectAll = ({ params, count: size }: WindowedState): Matching =>
  createMatching({ params, count: size, listPage })

/** Returns the path of the list on the server. */
const listPath = ({ params }: WindowedState): string =>
  params.length === 0
    ? '/api/devices'
    : `/api/devices?${new URLSearchParams(params.map(([name, value]) => [name, value]))}`

type Options = {
  readonly total: number
  readonly isDescending: boolean
  readonly getRow: (index: number) => DeviceRow | undefined
  readonly ensure: (from: number, to: number) => void
}

export const createView = (state: WindowedState, options: Options): TableView<DeviceRow> => {
  const { base, count: size, params } = state
  const { total, isDescending, getRow, ensure } = options
  const rowAt = (position: number) => getRow(base + position)
  return {
    count: size,
    total,
    rowAt,
    idsOf: async (from, to) => {
      const here = Array.from({ length: to - from }, (_, i) => rowAt(from + i)?.id)
      if (here.every((id) => id !== undefined)) return here
      const ids: string[] = []
      for (let offset = from; offset < to; offset += MATCHING_PAGE) {
        const limit = Math.min(MATCHING_PAGE, to - offset)
        const sort = isDescending ? { sort: '-name' } : {}
        ids.push(...(await api.devices.list({ ...toInput(params), ...sort, limit, offset })).map(({ id }) => id))
      }
      return ids
    },
    ensure: (from, to) => ensure(base + from, base + to),
    createTall,
  }
}

const BY_NAME: Sorting = { sort: 'name', isDescending: false }

type DeviceColumns = readonly Column<DeviceRow>[]
const withoutOrder = new WeakMap<DeviceColumns, DeviceColumns>()

/** The server only sorts by name. The same columns at every call, so that rows are not drawn again. */
const keepNameSorting = (columns: DeviceColumns): DeviceColumns => {
  const known = withoutOrder.get(columns)
  if (known) return known
  const made = columns.map((one) => (one.id === 'name' ? one : { ...one, isSortable: false }))
  withoutOrder.set(columns, made)
  return made
}

type NoteProps = { readonly state: WindowedState; readonly maxRows: number }

/** Says how many devices there are, and what to do for the rest of the filter and the orders. */
const ManyNote = ({ state: { count: size, waiting, isLoading }, maxRows }: NoteProps) => {
  const hasMarks = waiting.some((written) => written.toLowerCase() === 'in:import')
  return (
    <p className={css.note} role="status">
      {isLoading
        ? `Loading ${plural(size, 'device')} …`
        : `${plural(size, 'device')}: showing by name. Narrow to ${formatCount(maxRows)} to sort, and to use os:, model:, location:`}
      {waiting.length > 0 && (
        <>
          {'. '}Not applied: <b className="mono">{waiting.join(' ')}</b>
        </>
      )}
      {hasMarks && `. The devices of an import are shown among at most ${formatCount(maxRows)} devices`}
    </p>
  )
}

type Choice = {
  readonly view: DevicesView | undefined
  readonly columns: DeviceColumns
  readonly sorting: Sorting
  readonly maxRows: number
  readonly some: Selecting
  /** The selection of all that match. */
  readonly all: Matching | undefined
  readonly setAll: (all: Matching | undefined) => void
}

/** Selects all that match without their ids; of them, single devices may be taken out. */
const createSelection = ({ view, some, all, setAll }: Choice): SelectedDevices => {
  const windowed = view?.windowed
  const toggleAll = () => {
    if (all) setAll(undefined)
    else if (windowed && some.ids.size === 0) setAll(selectAll(windowed))
    else some.toggleAll()
  }
  if (!all) return { ...some, toggleAll }
  return {
    ids: all,
    toggle: (position) => void view?.idsOf(position, position + 1).then((ids) => setAll(all.toggle(ids))),
    toggleAll,
    clear: () => setAll(undefined),
    set: (ids) => {
      setAll(undefined)
      some.set(ids)
    },
  }
}

/** Returns the parts of the page that differ while only windows of rows are here. */
export const buildTableParts = (choice: Choice) => {
  const { view, columns, sorting, maxRows } = choice
  const windowed = view?.windowed
  const selection = createSelection(choice)
  if (!windowed) return { selection, columns, sorting }
  return {
    selection,
    columns: keepNameSorting(columns),
    sorting: sorting.sort === 'name' ? sorting : BY_NAME,
    stream: listPath(windowed),
    waiting: windowed.waiting,
    note: <ManyNote state={windowed} maxRows={maxRows} />,
  }
}

/** In the place of a picture of all devices. */
export const formatTooMany = (total: number, maxRows: number): string =>
  `There are ${plural(total, 'device')}, and the picture holds at most ${formatCount(maxRows)}. Choose a device above to see what is around it.`

export { createTall }
