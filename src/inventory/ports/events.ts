/** The event of ports. */
declare module '../../kernel/events.ts' {
  interface Events {
    /** The ids of ports whose cables go with them. */
    'ports.deleting': readonly string[]
  }
}
