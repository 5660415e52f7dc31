/** The event of sessions. */
declare module '../../kernel/events.ts' {
  interface Events {
    'session.ended': { readonly id: string }
  }
}
