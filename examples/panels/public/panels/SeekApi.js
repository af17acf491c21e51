// Stands in for the script of the upstream's provider, and does what its public pages say of panels: `SeekApi.render`
// draws one into an element of the page, without a frame; it asks `getAuthToken` for a browser token, remembers it, and
// asks again when the upstream answers UNAUTHENTICATED. How a panel looks, and all else that it does, is made up.
(() => {
  const { upstream } = document.currentScript.dataset;
  const QUERY = `query Products($positionProfile: AdvertisementProducts_PositionProfileInput!) {
    advertisementProducts(positionProfile: $positionProfile) {
      products { label price { summary } }
    }
  }`;
  const tokens = new WeakMap();

  async function ask(token, { positionProfile, locale }) {
    const response = await fetch(`${upstream}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(locale && { 'Accept-Language': locale }),
      },
      body: JSON.stringify({ query: QUERY, variables: { positionProfile } }),
    });
    const { data, errors } = await response.json();
    return { products: data?.advertisementProducts?.products, code: errors?.[0]?.extensions?.code };
  }

  async function productsOf(container, props) {
    const known = tokens.get(container) ?? props.getAuthToken();
    tokens.set(container, known);
    const first = await ask(await known, props);
    if (first.code !== 'UNAUTHENTICATED') return first;
    const fresh = props.getAuthToken();
    tokens.set(container, fresh);
    return ask(await fresh, props);
  }

  function draw(container, lines, reload) {
    const list = document.createElement('ul');
    for (const line of lines) list.appendChild(document.createElement('li')).textContent = line;
    const button = document.createElement('button');
    button.textContent = 'Reload';
    button.addEventListener('click', reload);
    container.replaceChildren(list, button);
  }

  async function render(container, panel, props) {
    const reload = () => render(container, panel, props);
    try {
      const { products = [], code } = await productsOf(container, props);
      draw(
        container,
        code ? [code] : products.map(({ label, price }) => `${label}: ${price.summary}`),
        reload,
      );
    } catch (error) {
      tokens.delete(container);
      draw(container, [error.code ?? String(error)], reload);
    }
  }

  globalThis.SeekApi = { render: (container, panel, props) => void render(container, panel, props) };
})();
