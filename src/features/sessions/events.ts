/** The event of sessions. */
declare module '../../platform/operation/events.ts' {
  interface Events {
    'session.ended': { readonly id: string }
  }
}
