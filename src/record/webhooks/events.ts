/** The event of webhooks. */
declare module '../../kernel/events.ts' {
  interface Events {
    /** Deliveries are due. */
    'webhook-delivery.queued': undefined
    /** Events wait for a message that is due at once. */
    'notification.waiting': undefined
  }
}
