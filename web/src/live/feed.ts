/** The stream of the live feed that this tab has. The code that opens it is loaded after the first page. */

export const feed: { source?: EventSource | undefined } = {}

/** Returns true while events keep the data up to date. */
export const isFollowed = (): boolean => feed.source !== undefined && feed.source.readyState !== EventSource.CLOSED

/** Ends the stream of a page that another one replaces. */
export const endFeed = (): void => {
  feed.source?.close()
  feed.source = undefined
}
