/** The state of the table of devices while only windows of its rows are here. */
import type { TableView } from '../../table/view.ts'
import type { DeviceRow } from '../column-spec.ts'

/** A parameter of the list on the server. */
export type Param = readonly [name: 'q' | 'tags' | 'datacenter_id' | 'status' | 'space_id', value: string]

export type WindowedState = {
  /** The index of its first row. The rows of two lists never have the same. */
  readonly base: number
  readonly count: number
  readonly params: readonly Param[]
  /** The terms of the filter that only the browser knows, as they are written. */
  readonly waiting: readonly string[]
  /** True while all rows that are left are on their way to the engine. */
  readonly isLoading: boolean
}

export type DevicesView = TableView<DeviceRow> & { readonly windowed?: WindowedState | undefined }
