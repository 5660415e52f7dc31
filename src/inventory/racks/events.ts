/** The events of racks. */
export type RackMoved = { readonly id: string; readonly datacenter_id: string }

declare module '../../kernel/events.ts' {
  interface Events {
    /** The devices of a rack follow it to another datacenter. */
    'rack.moved': RackMoved
  }
}
