/** The element that the browser takes over, and the one that has what it is rendered from. */
export const ROOT_ID = 'page'
export const INPUT_ID = 'input'
