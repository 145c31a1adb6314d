// SPDX-License-Identifier: Apache-2.0

/// The style of the page: one column on a phone, several on a wide screen, light or dark as the reader prefers.
enum ReportStyle {
  static let css = """
    :root { --paper: #fbfaf7; --card: #ffffff; --ink: #1c1b19; --soft: #6b675f; --rule: #e4e0d8;
      --axis: #a39d91; --good: #2f7d4f; --bad: #b3452f; --plain: #7d8894; --goal: #1c1b19;
      --sqlite: #2b6cb0; --postgresql: #7b4fa3; --lmdb: #b7791f; --memory: #2f855a; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #171614; --card: #201f1c; --ink: #ece9e2; --soft: #a29d92; --rule: #34322d;
        --axis: #6f6a60; --good: #6cc48e; --bad: #e88a72; --plain: #95a1ae; --goal: #ece9e2;
        --sqlite: #7ab2ea; --postgresql: #bd97e0; --lmdb: #e3b565; --memory: #74cc9c; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
      -webkit-text-size-adjust: 100%; }
    main { max-width: 1180px; margin: 0 auto; padding: 32px 20px 64px; }
    h1 { font-size: clamp(1.6rem, 5vw, 2.4rem); line-height: 1.15; margin: 0 0 12px;
      letter-spacing: -0.02em; text-wrap: balance; }
    h2 { font-size: 1.3rem; margin: 56px 0 8px; letter-spacing: -0.01em; }
    h3 { font-size: 1rem; margin: 28px 0 8px; }
    p { margin: 0 0 16px; max-width: 68ch; }
    .lead { color: var(--soft); font-size: 1.05rem; }
    .warning { color: var(--bad); font-weight: 600; }
    .facts { display: flex; flex-wrap: wrap; gap: 12px 32px; margin: 24px 0 0; }
    .facts div { min-width: 90px; }
    dt { color: var(--soft); font-size: 0.8rem; }
    dd { margin: 0; }
    .list div { display: flex; gap: 12px; padding: 4px 0; }
    .list dt { min-width: 44px; font-size: 1rem; }
    .key { color: var(--soft); font-size: 0.875rem; display: flex; flex-wrap: wrap; gap: 4px 18px;
      max-width: none; }
    .key span { display: inline-flex; align-items: center; gap: 6px; }
    .swatch { width: 14px; height: 14px; border-radius: 3px; }
    .swatch.good { background: var(--good); }
    .swatch.bad { background: var(--bad); }
    .swatch.plain { background: var(--plain); }
    .tick { width: 3px; height: 16px; background: var(--goal); }
    .one { width: 1px; height: 16px; background: var(--axis); }
    .grid { display: grid; gap: 20px;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); }
    figure { margin: 0; padding: 16px; background: var(--card); border: 1px solid var(--rule);
      border-radius: 10px; }
    figcaption { margin-bottom: 10px; }
    figcaption small { display: block; color: var(--soft); font-size: 0.8rem; }
    svg { width: 100%; max-width: 500px; height: auto; display: block; font-size: 12px; overflow: visible; }
    svg text { fill: var(--ink); font-variant-numeric: tabular-nums; }
    svg .scale { fill: var(--soft); font-size: 10px; }
    svg .name { fill: var(--soft); }
    svg .figure { font-weight: 600; }
    .rule { stroke: var(--rule); } .axis { stroke: var(--axis); }
    line.goal { stroke: var(--goal); stroke-width: 2.5; }
    rect.good { fill: var(--good); } rect.bad { fill: var(--bad); } rect.plain { fill: var(--plain); }
    svg text.good, span.good { fill: var(--good); color: var(--good); }
    svg text.bad, span.bad { fill: var(--bad); color: var(--bad); }
    .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
    .dashed { stroke-dasharray: 3 4; stroke-width: 1.5; opacity: 0.8; }
    .curve.sqlite { stroke: var(--sqlite); } .point.sqlite, text.sqlite { fill: var(--sqlite); }
    .curve.postgresql { stroke: var(--postgresql); }
    .point.postgresql, text.postgresql { fill: var(--postgresql); }
    .curve.lmdb { stroke: var(--lmdb); } .point.lmdb, text.lmdb { fill: var(--lmdb); }
    .curve.memory { stroke: var(--memory); } .point.memory, text.memory { fill: var(--memory); }
    .times { display: grid; gap: 8px 40px;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); }
    .work h3 { margin: 16px 0 4px; } .work h3 small { color: var(--soft); font-weight: 400; }
    .time { display: grid; grid-template-columns: 84px 1fr 84px; gap: 8px; align-items: center;
      font-size: 0.875rem; font-variant-numeric: tabular-nums; }
    .time span:last-child { text-align: right; font-weight: 600; }
    .time b { display: block; height: 12px; border-radius: 2px; }
    b.sqlite { background: var(--sqlite); } b.postgresql { background: var(--postgresql); }
    b.lmdb { background: var(--lmdb); } b.memory { background: var(--memory); }
    .advice { margin-top: 24px; } .advice dt { min-width: 84px; }
    svg text.end { font-weight: 600; font-size: 11px; }
    .scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 10px;
      background: var(--card); }
    table { border-collapse: collapse; width: 100%; font-size: 0.875rem;
      font-variant-numeric: tabular-nums; }
    th, td { padding: 7px 12px; text-align: right; white-space: nowrap; }
    th { font-weight: 600; }
    thead th { color: var(--soft); font-weight: 500; border-bottom: 1px solid var(--rule); }
    tbody tr + tr > * { border-top: 1px solid var(--rule); }
    th:first-child { text-align: left; position: sticky; left: 0; background: var(--card); }
    td:last-child, thead th:last-child { text-align: left; color: var(--soft); width: 40%; }
    abbr { text-decoration: none; }
    """
}
