/** GraphiQL colours the text in its editors for the theme that it began with: when the system's changes, it is told. */
const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', () => {
  const isChosen = document.body.matches('.graphiql-light, .graphiql-dark');
  if (!isChosen) window.__MONACO?.editor.setTheme(dark.matches ? 'graphiql-DARK' : 'graphiql-LIGHT');
});
