// Line charts as SVG.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/file.h"
#include "weft/nn.h"

namespace weft::nn {
namespace {

constexpr const char* kColors[] = {"#9db7d5", "#c0392b", "#27864a", "#8e5ea2", "#d28f17"};

std::string number(double v) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", v);
  return text;
}

std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

/// A range of round numbers around the data.
struct Axis {
  double low = 0, high = 1, step = 0.2;

  Axis(double least, double most) {
    if (!(least <= most)) return;  // no finite point
    if (least == most) {
      const double room = least == 0 ? 1 : std::abs(least) * 0.1;
      least -= room;
      most += room;
    }
    const double raw = (most - least) / 6, magnitude = std::pow(10, std::floor(std::log10(raw)));
    const double lead = raw / magnitude;
    step = (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * magnitude;
    low = std::floor(least / step) * step;
    high = std::ceil(most / step) * step;
  }
  int ticks() const { return static_cast<int>(std::lround((high - low) / step)); }
  double share(double v) const { return (v - low) / (high - low); }
};

}  // namespace

std::string line_chart(std::span<const Series> series, const ChartOptions& options) {
  double bounds[4] = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  for (const Series& s : series) {
    if (s.x.size() != s.y.size()) {
      throw UserError("[line_chart] \"" + s.label + "\": got " + std::to_string(s.x.size()) + " x and " +
                      std::to_string(s.y.size()) + " y, expected as many");
    }
    for (size_t i = 0; i < s.x.size(); ++i) {
      if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) continue;
      bounds[0] = std::min(bounds[0], s.x[i]);
      bounds[1] = std::max(bounds[1], s.x[i]);
      bounds[2] = std::min(bounds[2], s.y[i]);
      bounds[3] = std::max(bounds[3], s.y[i]);
    }
  }
  const Axis xs(bounds[0], bounds[1]), ys(bounds[2], bounds[3]);
  const double left = 70, right = options.width - 20.0, top = 40, bottom = options.height - 55.0;
  const auto px = [&](double v) { return left + xs.share(v) * (right - left); };
  const auto py = [&](double v) { return bottom - ys.share(v) * (bottom - top); };
  const auto text = [&](double x, double y, const char* anchor, const std::string& s, const char* extra = "") {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + extra + ">" +
           escaped(s) + "</text>\n";
  };
  const auto line = [&](double x1, double y1, double x2, double y2, const char* color) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
           "\" stroke=\"" + color + "\"/>\n";
  };
  const std::string size =
      "width=\"" + std::to_string(options.width) + "\" height=\"" + std::to_string(options.height) + "\"";
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
                    " font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n<rect " + size + " fill=\"#fff\"/>\n";
  for (int i = 0; i <= xs.ticks(); ++i) {
    const double v = xs.low + i * xs.step;
    out += line(px(v), top, px(v), bottom, "#eee") +
           text(px(v), bottom + 18, "middle", number(std::abs(v) < xs.step / 1e6 ? 0 : v));
  }
  for (int i = 0; i <= ys.ticks(); ++i) {
    const double v = ys.low + i * ys.step;
    out += line(left, py(v), right, py(v), "#eee") +
           text(left - 8, py(v) + 4, "end", number(std::abs(v) < ys.step / 1e6 ? 0 : v));
  }
  out += line(left, bottom, right, bottom, "#333") + line(left, top, left, bottom, "#333");
  for (size_t k = 0; k < series.size(); ++k) {
    const std::string color = kColors[k % std::size(kColors)];
    std::string points;
    const auto flush = [&] {
      if (!points.empty())
        out += "<polyline fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.5\" points=\"" + points + "\"/>\n";
      points.clear();
    };
    for (size_t i = 0; i < series[k].x.size(); ++i) {
      if (!std::isfinite(series[k].x[i]) || !std::isfinite(series[k].y[i])) {
        flush();  // a gap
        continue;
      }
      points += (points.empty() ? "" : " ") + number(px(series[k].x[i])) + "," + number(py(series[k].y[i]));
    }
    flush();
    const double y = top + 14 + 18 * static_cast<double>(k);
    out += "<line x1=\"" + number(right - 150) + "\" y1=\"" + number(y) + "\" x2=\"" + number(right - 125) +
           "\" y2=\"" + number(y) + "\" stroke=\"" + color + "\" stroke-width=\"3\"/>\n" +
           text(right - 118, y + 4, "start", series[k].label);
  }
  const std::string middle = number((top + bottom) / 2);
  out +=
      text((left + right) / 2, 24, "middle", options.title, " font-size=\"16\"") +
      text((left + right) / 2, bottom + 42, "middle", options.x_label) +
      text(18, (top + bottom) / 2, "middle", options.y_label, (" transform=\"rotate(-90 18 " + middle + ")\"").c_str());
  return out + "</svg>\n";
}

void write_line_chart(const std::string& path, std::span<const Series> series, const ChartOptions& options) {
  write_file(path, line_chart(series, options));
}

}  // namespace weft::nn
