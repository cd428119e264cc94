#include "troupe/config/provider_presets.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace troupe {

namespace {

struct preset {
  std::string_view name;
  std::string_view base_url;
};

// The adapters first; whatever follows speaks the protocol of openai.
constexpr auto presets = std::array{
  preset{"openai", "https://api.openai.com/v1"},
  preset{"anthropic", "https://api.anthropic.com"},
  preset{"gemini", "https://generativelanguage.googleapis.com/v1beta"},
  preset{"cassette", ""},
  preset{"deepseek", "https://api.deepseek.com/v1"},
  preset{"fireworks", "https://api.fireworks.ai/inference/v1"},
  preset{"groq", "https://api.groq.com/openai/v1"},
  preset{"litellm", "http://localhost:4000/v1"},
  preset{"llamacpp", "http://localhost:8080/v1"},
  preset{"lmstudio", "http://localhost:1234/v1"},
  preset{"mistral", "https://api.mistral.ai/v1"},
  preset{"ollama", "http://localhost:11434/v1"},
  preset{"openrouter", "https://openrouter.ai/api/v1"},
  preset{"together", "https://api.together.xyz/v1"},
  preset{"vllm", "http://localhost:8000/v1"},
  preset{"xai", "https://api.x.ai/v1"},
};

constexpr size_t adapter_count = 4;

constexpr auto names = [] {
  auto result = std::array<std::string_view, presets.size()>{};
  for (size_t i = 0; i < presets.size(); ++i)
    result[i] = presets[i].name;
  return result;
}();

} // namespace

std::span<const std::string_view> adapter_names() {
  return names;
}

provider_settings apply_preset(provider_settings x) {
  auto name = x.preset.empty() ? x.adapter : x.preset;
  for (size_t i = 0; i < presets.size(); ++i) {
    if (presets[i].name != name)
      continue;
    if (i >= adapter_count) {
      x.adapter = "openai";
      x.preset = name;
    }
    if (x.base_url.empty())
      x.base_url = presets[i].base_url;
  }
  return x;
}

} // namespace troupe
