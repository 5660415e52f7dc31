/** The messages between the page and the worker of the devices. */
import type { Device, DeviceStatus } from '../../api/contracts.ts'
import type { Definition } from '../../custom-fields/values.ts'
import type { TableQuery } from '../../table/engine.ts'
import type { Facets } from '../../table/filter.ts'
import type { DeviceRow } from '../column-spec.ts'
import type { WindowedState } from './windowed-state.ts'

/** A device by its id, or without one by its name. */
export type Called = { readonly id?: string; readonly name?: string }

/** Columns instead of rows: 100,000 objects would be slow to hand over. */
export type Brief = {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  /** The datacenter of each device, as an index into `placeNames`. */
  readonly places: Uint16Array<ArrayBuffer>
  /** Names of datacenters; '' for the devices without one. */
  readonly placeNames: readonly string[]
  /** The status of each device, as an index into STATES. */
  readonly states: Uint8Array<ArrayBuffer>
  /** The places in `ids` of the devices that are switches by their names and tags. */
  readonly switches: readonly number[]
}

export const STATES: readonly DeviceStatus[] = ['active', 'planned', 'maintenance', 'decommissioned']

export type WorkerRequest =
  | {
      readonly type: 'load'
      /** The first rows are wanted before all of them are there. */
      readonly isShown: boolean
      /** The path of the list, with the moment that it is of. */
      readonly path: string
      /** Only windows of rows are held of more devices. */
      readonly maxRows: number
    }
  /** The first rows are on the screen. */
  | { readonly type: 'drawn' }
  /** Names of datacenters, racks and device types, and which of them are datacenters. */
  | {
      readonly type: 'names'
      readonly names: readonly (readonly [id: string, name: string])[]
      readonly datacenters: readonly string[]
    }
  /** The custom fields of devices, and the names of the objects that their values refer to. */
  | {
      readonly type: 'custom'
      readonly definitions: readonly Definition[]
      readonly names: readonly (readonly [id: string, name: string])[]
    }
  | { readonly type: 'query'; readonly seq: number; readonly query: TableQuery; readonly from: number }
  | { readonly type: 'rows'; readonly seq: number; readonly indices: readonly number[] }
  /** The same of a part of a windowed table. Rows outside of it are called off. */
  | { readonly type: 'part'; readonly from: number; readonly to: number }
  | { readonly type: 'put'; readonly devices: readonly Device[] }
  /** Changes by other users, from the live feed. */
  | { readonly type: 'heard'; readonly devices: readonly Device[]; readonly gone: readonly string[] }
  | { readonly type: 'drop'; readonly ids: readonly string[] }
  | { readonly type: 'facets'; readonly seq: number }
  | { readonly type: 'tags'; readonly seq: number; readonly ids: readonly string[] }
  | { readonly type: 'full'; readonly seq: number; readonly ids: readonly string[] }
  | { readonly type: 'brief'; readonly seq: number }
  | { readonly type: 'mark'; readonly seq: number; readonly rows: readonly Called[] }
  | { readonly type: 'ids'; readonly seq: number; readonly indices: Uint32Array }

export type WorkerResponse =
  /** The rows changed: earlier indices are invalid. */
  | {
      readonly type: 'changed'
      readonly total: number
      readonly version: number
      readonly loadedAtMs: number
      readonly isMany: boolean
    }
  /** The first rows, while all of them are on their way. */
  | { readonly type: 'preview'; readonly total: number; readonly devices: readonly Device[] }
  /** Devices that were changed elsewhere. */
  | { readonly type: 'heard'; readonly ids: readonly string[] }
  | { readonly type: 'current'; readonly loadedAtMs: number }
  | { readonly type: 'failed'; readonly status: number; readonly body: unknown; readonly retryAfter: string | null }
  | {
      readonly type: 'result'
      readonly seq: number
      readonly version: number
      readonly total: number
      readonly order: Uint32Array<ArrayBuffer>
      /** While only windows of rows are held. The order is empty then. */
      readonly windowed?: WindowedState
      readonly rows: readonly (readonly [index: number, row: DeviceRow])[]
    }
  | {
      readonly type: 'rows'
      readonly seq: number
      readonly version: number
      readonly rows: readonly (readonly [index: number, row: DeviceRow])[]
    }
  /** A query was followed by another before its answer. */
  | { readonly type: 'off'; readonly seq: number }
  | { readonly type: 'facets'; readonly seq: number; readonly facets: Facets }
  | { readonly type: 'ids'; readonly seq: number; readonly ids: readonly string[] }
  | { readonly type: 'full'; readonly seq: number; readonly devices: readonly Device[] }
  | { readonly type: 'brief'; readonly seq: number; readonly brief: Brief }
  | { readonly type: 'mark'; readonly seq: number; readonly ids: readonly string[] }
  | {
      readonly type: 'tags'
      readonly seq: number
      readonly tags: readonly (readonly [id: string, tags: readonly string[]])[]
    }
