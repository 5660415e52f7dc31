/** Offers a text to the user as a file. */
export const save = (name: string, type: string, text: string): void => saveBlob(name, new Blob([text], { type }))

export const saveBlob = (name: string, blob: Blob): void => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not before the browser has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
